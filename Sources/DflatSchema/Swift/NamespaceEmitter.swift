/// Declares a schema's namespaces as enums without cases, each in one file only.
struct NamespaceEmitter {
  let context: EmitterContext
  /// The file by its place in `Schema.files`.
  let file: Int

  /// The namespaces that this file is the first to have types in, outer ones first.
  var namespaces: [[String]] {
    var known: Set<[String]> = []
    var result: [[String]] = []
    for (index, other) in context.schema.files.enumerated().prefix(file + 1) {
      for namespace in other.namespaces {
        for count in namespace.indices {
          let path = Array(namespace[...count])
          // A type of that name is the namespace.
          guard known.insert(path).inserted, !context.typePaths.contains(path) else { continue }
          if index == file { result.append(path) }
        }
      }
    }
    return result
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
