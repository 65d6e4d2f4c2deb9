import DflatSupport

/// Reads and parses files and their includes, each once.
struct SchemaLoader {
  struct LoadedFile {
    let text: SourceText
    var syntax: FileSyntax
    /// The included files, by index in the loader's result.
    var includes: [Int] = []
  }

  private let source: any SchemaSource
  private let includePaths: [String]
  /// The files in the order of discovery. Until the end, their `includes` are indices into this array.
  private var found: [LoadedFile] = []
  /// The indices into `found`, by the identities of the files. Names that are canonically equivalent are different.
  private var places: [[UInt8]: Int] = [:]
  /// The indices into `found`, by the names and contents of the files.
  private var copies: [Contents: Int] = [:]
  /// The indices into `found`, with included files before those that include them, except in a cycle.
  private var order: [Int] = []
  private var diagnostics: [Diagnostic] = []

  private struct Contents: Hashable {
    /// The file's name without its folders.
    let name: [UInt8]
    let bytes: [UInt8]

    init(of path: String, _ bytes: [UInt8]) {
      name = Array(SchemaPath.name(of: path).utf8)
      self.bytes = bytes
    }
  }

  /// Limits that end loading even if a source has a file for every path.
  private static let maximumDepth = 128
  private static let maximumFiles = 4096

  static func load(
    _ paths: [String], includePaths: [String], from source: any SchemaSource
  ) -> (files: [LoadedFile], diagnostics: [Diagnostic]) {
    var loader = SchemaLoader(source: source, includePaths: includePaths)
    for path in paths {
      let identity = source.identity(of: path)
      let label = loader.label(of: path, identity)
      guard loader.places[Array(identity.utf8)] == nil else { continue }
      guard let bytes = source.read(path) else {
        loader.diagnostics.append(
          Diagnostic(
            SourceLocation(file: label, line: 1, column: 1), "this file can't be read",
            advice: "give the path of a schema"))
        continue
      }
      loader.add(bytes, label: label, identity: identity, from: SchemaPath.folder(of: label), depth: 0)
    }
    return (loader.inOrder(), loader.diagnostics)
  }

  private init(source: any SchemaSource, includePaths: [String]) {
    self.source = source
    self.includePaths = includePaths
  }

  /// Returns a file's path in diagnostics, without `.` and `..`. If that leads to another file, because a `..` follows a
  /// symbolic link, it is the path itself.
  private func label(of path: String, _ identity: String) -> String {
    let normalized = SchemaPath.normalized(path)
    return source.identity(of: normalized).hasSameBytes(as: identity) ? normalized : path
  }

  /// Adds a file, and loads its includes recursively.
  ///
  /// - Parameter start: The folder of the file on the command line that leads to this one.
  @discardableResult
  private mutating func add(
    _ bytes: [UInt8], label: String, identity: String, from start: String, depth: Int
  ) -> Int {
    let text = SourceText(path: label, bytes: bytes)
    let (syntax, parserDiagnostics) = Parser.parse(text)
    diagnostics += parserDiagnostics
    let place = found.count
    found.append(LoadedFile(text: text, syntax: syntax))
    places[Array(identity.utf8)] = place
    copies[Contents(of: label, bytes)] = place
    for include in syntax.includes {
      if let included = resolve(include, in: text, from: start, depth: depth) {
        if !found[place].includes.contains(included) { found[place].includes.append(included) }
      } else {
        found[place].syntax.hasLostDeclarations = true
      }
    }
    order.append(place)
    return place
  }

  /// Returns the index of an included file, which is loaded if necessary, or nil after reporting an error.
  ///
  /// The folders and their order are flatc's, and so is that a copy of a file by the same name is the file itself.
  private mutating func resolve(
    _ include: IncludeSyntax, in text: SourceText, from start: String, depth: Int
  ) -> Int? {
    let location = text.location(at: include.position)
    for folder in [SchemaPath.folder(of: text.path)] + includePaths + [start] {
      let path = SchemaPath.joined(folder, include.path)
      let identity = source.identity(of: path)
      // Return a file that is loaded already, also under another path or as a copy.
      if let place = places[Array(identity.utf8)] { return place }
      guard let bytes = source.read(path) else { continue }
      if let place = copies[Contents(of: path, bytes)] {
        places[Array(identity.utf8)] = place
        return place
      }
      // Load the file, unless there are too many.
      guard depth < Self.maximumDepth, found.count < Self.maximumFiles else {
        diagnostics.append(
          Diagnostic(
            location,
            "includes nest deeper than \(Self.maximumDepth), or there are more than \(Self.maximumFiles) files",
            advice: "include fewer files"))
        return nil
      }
      return add(
        bytes, label: label(of: path, identity), identity: identity, from: start, depth: depth + 1)
    }
    // No folder has the file.
    diagnostics.append(
      Diagnostic(
        location, "the file '\(include.path)' was not found",
        advice: "write its path relative to this file's folder, or add its folder with -I"))
    return nil
  }

  /// Returns the files in their final order, with the indices of includes adapted to it.
  private func inOrder() -> [LoadedFile] {
    var placeInOrder = [Int](repeating: 0, count: found.count)
    for (index, place) in order.enumerated() { placeInOrder[place] = index }
    return order.map { place in
      var file = found[place]
      file.includes = file.includes.map { placeInOrder[$0] }
      return file
    }
  }
}
