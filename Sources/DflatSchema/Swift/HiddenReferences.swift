/// Finds uses of types for which Swift has no name at that position.
///
/// Inside `extension Post`, Swift looks for `User.Profile` in `Post.User` if that exists. A type at the top level of a
/// module has no other name there, because dflatc doesn't know the module's own name.
enum HiddenReferences {
  static func diagnostics(in context: EmitterContext) -> [Diagnostic] {
    let schema = context.schema
    return schema.typeIDs.flatMap { type in
      let scope = SwiftScope(type, in: context)
      var hidden = Set(context.references(of: type).filter { !scope.canName($0) }.map(schema.path(of:)))
      if case .table(let index) = type, schema.tables[index].isEntity { hidden.formUnion(hiddenFromRoot(type, scope)) }
      return hidden.map { ($0[0], $0.joined(separator: ".")) }.sorted { $0.1 < $1.1 }.map { first, name in
        Diagnostic(
          context.location(type),
          "in '\(context.name(type))', Swift finds a different '\(first)' than the one in '\(name)'",
          advice: "rename one of the two")
      }
    }
  }

  /// Returns the paths of the types that are hidden from those generated with a root, and of the latter that are hidden
  /// from each other.
  private static func hiddenFromRoot(_ root: TypeID, _ scope: SwiftScope) -> [[String]] {
    let (context, beside, inOptional) = (scope.context, scope.besideType(), scope.inOptional())
    let types = context.references(of: root).filter { !beside.canName($0) || !inOptional.canName($0) }
      .map(context.schema.path(of:))
    let own = ["": [scope, beside], "Builder": [scope], "ChangeRequest": [inOptional]].filter { suffix, scopes in
      scopes.contains { !$0.canNameOwn(suffix) }
    }
    let path = context.schema.path(of: root)
    return types + own.keys.map { Array(path.dropLast()) + [path[path.count - 1] + $0] }
  }
}
