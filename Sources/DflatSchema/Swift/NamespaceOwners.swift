/// Which file's Swift declares each namespace, those around it included.
///
/// A type with the name of a namespace is that namespace. Otherwise it is declared by the first file that has types in it,
/// and files that aren't emitted now come before those that are: to declare a namespace of theirs again would be an error
/// in their module, and in another one it would hide theirs with the types in it.
struct NamespaceOwners {
  private var owners: [[String]: Int] = [:]

  init(_ schema: Schema, emittedFiles: Set<Int>) {
    let types =
      schema.enums.map { ($0.name, $0.file) } + schema.unions.map { ($0.name, $0.file) }
      + schema.structs.map { ($0.name, $0.file) } + schema.tables.map { ($0.name, $0.file) }
    for (name, file) in types { owners[EmitterContext.path(name)] = file }
    let indices = schema.files.indices
    for file in indices.filter({ !emittedFiles.contains($0) }) + indices.filter({ emittedFiles.contains($0) }) {
      for namespace in schema.files[file].namespaces {
        for path in namespace.indices.map({ Array(namespace[...$0]) }) where owners[path] == nil { owners[path] = file }
      }
    }
  }

  /// By its place in `Schema.files`.
  func file(declaring namespace: [String]) -> Int? { owners[namespace] }
}
