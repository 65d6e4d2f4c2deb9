/// Uses of types for which Swift has no name at that place.
///
/// Inside `extension Post`, `User.Profile` is looked for in `Post.User` if there is one; what stands at the top of a module
/// has no other name there, as the module's own isn't known. The modules by which generated code tells its own types from
/// a schema's have no other name anywhere.
enum HiddenReferences {
  private static let modules: Set = ["Swift", "DflatBuffers", "DflatCore"]

  static func diagnostics(in context: EmitterContext) -> [Diagnostic] {
    let schema = context.schema
    let types: [TypeID] =
      schema.enums.indices.map { .enumeration($0) } + schema.unions.indices.map { .union($0) }
      + schema.structs.indices.map { .structure($0) } + schema.tables.indices.map { .table($0) }
    return types.flatMap { type in
      if let module = EmitterContext.path(context.name(type)).first(where: modules.contains) {
        return [
          Diagnostic(
            context.location(type), "'\(context.name(type))' hides the module '\(module)' from the generated code",
            advice: "give '\(module)' another name")
        ]
      }
      let scope = SwiftScope(type, in: context)
      var hidden = Set(context.references(of: type).filter { !scope.canName($0) }.map { context.name($0) })
      if case .table(let index) = type, schema.tables[index].isRoot { hidden.formUnion(hiddenFromRoot(type, scope)) }
      return hidden.sorted { $0.description < $1.description }.map { name in
        let first = EmitterContext.path(name)[0]
        return Diagnostic(
          context.location(type),
          "in '\(context.name(type))' Swift finds another '\(first)' than the one of '\(name)'",
          advice: "rename one of the two")
      }
    }
  }

  /// What is hidden from the types that go with a root, and these from each other.
  private static func hiddenFromRoot(_ root: TypeID, _ scope: SwiftScope) -> [QualifiedName] {
    let (context, beside, inOptional) = (scope.context, scope.besideType(), scope.inOptional())
    let types = context.references(of: root).filter { !beside.canName($0) || !inOptional.canName($0) }.map(context.name)
    let own = ["": [scope, beside], "Builder": [scope], "ChangeRequest": [inOptional]].filter { suffix, scopes in
      scopes.contains { !$0.canNameOwn(suffix) }
    }
    let name = context.name(root)
    return types + own.keys.map { QualifiedName(namespace: name.namespace, name: name.name + $0) }
  }
}
