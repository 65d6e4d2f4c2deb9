/// The file whose Swift code declares each namespace, including the enclosing ones.
///
/// A type with the path of a namespace serves as the namespace. Otherwise, the first file with types in the namespace
/// declares it, and files that are not emitted in this run come before those that are: to declare one of their
/// namespaces again would be an error in their module, and in another module it would hide their namespace with its
/// types.
struct NamespaceOwners {
  private var owners: [[String]: Int] = [:]

  init(_ schema: Schema, emittedFiles: Set<Int>) {
    for type in schema.typeIDs { owners[schema.path(of: type)] = schema.header(of: type).file }
    let indices = schema.files.indices
    for file in indices.filter({ !emittedFiles.contains($0) }) + indices.filter({ emittedFiles.contains($0) }) {
      for namespace in schema.files[file].namespaces {
        for path in namespace.indices.map({ Array(namespace[...$0]) }) where owners[path] == nil { owners[path] = file }
      }
    }
  }

  /// Returns the file that declares a namespace, as an index in `Schema.files`.
  func file(declaring namespace: [String]) -> Int? { owners[namespace] }
}
