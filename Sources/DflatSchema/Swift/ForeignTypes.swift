/// Which types need a module imported: those of included files that other modules hold.
struct ForeignTypes {
  let context: EmitterContext
  let emittedFiles: Set<Int>

  /// Whether the code of these types names one, or extends a namespace that is declared with one.
  func areUsed(by types: [TypeID]) -> Bool {
    guard emittedFiles.count < context.schema.files.count else { return false }
    let foreignNamespaces = Set(
      context.schema.files.indices.filter { !emittedFiles.contains($0) }
        .flatMap { context.schema.files[$0].namespaces.compactMap(\.first) })
    return types.contains { type in
      if let outermost = context.name(type).namespace.first, foreignNamespaces.contains(outermost) { return true }
      return context.references(of: type).contains { !emittedFiles.contains(context.file($0)) }
    }
  }
}
