/// Declares a schema's namespaces as enums without cases, each in one file only.
struct NamespaceEmitter {
  let context: EmitterContext
  let owners: NamespaceOwners
  /// The index of the file in `Schema.files`.
  let file: Int

  /// The namespaces that this file declares, outer ones first.
  private var namespaces: [[String]] {
    var known = context.typePaths  // a type with the path of a namespace serves as the namespace
    return context.schema.files[file].namespaces.flatMap { path in path.indices.map { Array(path[...$0]) } }
      .filter { owners.file(declaring: $0) == file && known.insert($0).inserted }
  }

  func emit(to writer: inout CodeWriter) {
    for namespace in namespaces {
      writer.line()
      let declaration = "public enum \(ReservedNames.type(namespace[namespace.count - 1])) {}"
      let outer = namespace.dropLast()
      if outer.isEmpty {
        writer.line(declaration)
      } else {
        writer.block("extension \(outer.map(ReservedNames.type).joined(separator: "."))") { $0.line(declaration) }
      }
    }
  }
}
