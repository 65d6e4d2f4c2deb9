/// Finds the modules that a file imports: those of the types that its code names, and of the namespaces that it
/// extends.
struct ForeignModules {
  let context: EmitterContext
  let options: SwiftEmitter.Options
  let emittedFiles: Set<Int>
  let owners: NamespaceOwners

  func modules(for types: [TypeID]) -> Set<String> {
    var files = Set(types.flatMap { context.references(of: $0) }.map { context.file($0) })
    for namespace in Set(types.map { context.name($0).namespace }) {
      files.formUnion(namespace.indices.compactMap { owners.file(declaring: Array(namespace[...$0])) })
    }
    return Set(
      files.subtracting(emittedFiles).flatMap { file in
        options.modules[context.schema.files[file].path].map { [$0] } ?? options.imports
      })
  }
}
