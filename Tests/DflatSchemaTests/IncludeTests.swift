import DflatSchema
import Foundation
import Testing

@Suite struct IncludeTests {
  private func compile(_ files: [String: String], _ paths: [String], includePaths: [String] = []) throws -> Schema {
    try SchemaCompiler(source: MemorySource(files)).compile(paths, includePaths: includePaths)
  }

  @Test("Each included file comes once, before the files that include it")
  func includedFilesComeFirstAndOnce() throws {
    let schema = try compile(
      [
        "a.fbs": "include \"b.fbs\"; include \"./c.fbs\"; include \"b.fbs\"; table A { b: B; c: C; d: D; }",
        "b.fbs": "include \"sub/../d.fbs\"; table B { d: D; }", "c.fbs": "include \"d.fbs\"; table C { d: D; }",
        "d.fbs": "table D {}",
      ], ["a.fbs"])
    #expect(schema.files.map(\.path) == ["d.fbs", "b.fbs", "c.fbs", "a.fbs"])
    #expect(schema.files.map(\.includes) == [[], [0], [0], [1, 2]])
    #expect(schema.tables.map(\.name.name) == ["D", "B", "C", "A"])
    #expect(schema.tables.map(\.file) == [0, 1, 2, 3])
  }

  @Test("Files can include each other and themselves") func filesMayIncludeEachOther() throws {
    let schema = try compile(
      [
        "a.fbs": "include \"b.fbs\"; include \"a.fbs\"; table A { b: B; }",
        "b.fbs": "include \"a.fbs\"; table B { a: A; }",
      ], ["a.fbs"])
    #expect(schema.files.map(\.path) == ["b.fbs", "a.fbs"])
  }

  @Test("A file's own folder is searched before the include paths")
  func aFilesOwnFolderComesBeforeTheIncludePaths() throws {
    let files = [
      "app/a.fbs": "include \"x.fbs\"; include \"y.fbs\"; include \"/abs/z.fbs\"; table A { x: X; y: Y; z: Z; }",
      "app/x.fbs": "table X { near: int; }", "lib/x.fbs": "table X { far: int; }", "lib/y.fbs": "table Y {}",
      "/abs/z.fbs": "table Z {}",
    ]
    let schema = try compile(files, ["app/a.fbs"], includePaths: ["other", "lib/"])
    #expect(schema.files.map(\.path) == ["app/x.fbs", "lib/y.fbs", "/abs/z.fbs", "app/a.fbs"])
    #expect(try schema.table("X").fields.map(\.name) == ["near"])
  }

  @Test("An include may be relative to the folder of the compiled schema")
  func theFolderOfTheCompiledSchemaIsSearchedLast() throws {
    let files = [
      "app/a.fbs": "include \"sub/b.fbs\"; table A { b: B; }",
      "app/sub/b.fbs": "include \"sub/c.fbs\"; table B { c: C; }",
      "app/sub/c.fbs": "table C { below: int; }", "lib/sub/c.fbs": "table C { beside: int; }",
    ]
    let below = try compile(files, ["app/a.fbs"])
    #expect(below.files.map(\.path) == ["app/sub/c.fbs", "app/sub/b.fbs", "app/a.fbs"])
    let beside = try compile(files, ["app/a.fbs"], includePaths: ["lib"])
    #expect(beside.files.map(\.path) == ["lib/sub/c.fbs", "app/sub/b.fbs", "app/a.fbs"])
  }

  @Test("Two copies of one included file are one file") func copiesAreOneFile() throws {
    let files = [
      "a.fbs": "include \"b/x.fbs\"; include \"c/x.fbs\"; table A { x: X; }", "b/x.fbs": "table X {}",
      "c/x.fbs": "table X {}",
    ]
    let schema = try compile(files, ["a.fbs"])
    #expect(schema.files.map(\.path) == ["b/x.fbs", "a.fbs"])
    #expect(schema.files.map(\.includes) == [[], [0]])
    #expect(throws: SchemaErrors.self) {
      try compile(files.merging(["c/x.fbs": "table X { y: int; }"]) { $1 }, ["a.fbs"])
    }
  }

  @Test("A type of a file that nothing includes together with this one is refused")
  func typesOfUnrelatedFilesAreRefused() {
    #expect {
      try compile(["a.fbs": "table A { b: B; }", "b.fbs": "table B {}"], ["a.fbs", "b.fbs"])
    } throws: { error in
      "\(error)" == "a.fbs:1:14: error: 'B' is in 'b.fbs', which is not included; include that file"
    }
  }

  @Test("Several schemas share the files that they include") func severalSchemasShareWhatTheyInclude() throws {
    let schema = try compile(
      [
        "a.fbs": "include \"c.fbs\"; table A { id: int (primary); c: C; } root_type A;",
        "b.fbs": "include \"c.fbs\"; table B { id: int (primary); c: C; } root_type B;", "c.fbs": "table C {}",
      ], ["a.fbs", "b.fbs", "./a.fbs", "c.fbs"])
    #expect(schema.files.map(\.path) == ["c.fbs", "a.fbs", "b.fbs"])
    #expect(schema.files.map(\.rootTable) == [nil, 1, 2])
  }

  @Test("The root of an included file is not the root of the including file")
  func anIncludedRootIsNotTheFilesOwn() throws {
    let schema = try compile(
      [
        "a.fbs": "include \"b.fbs\"; table A { b: B; }",
        "b.fbs": "table B { x: int (primary); } root_type B; file_identifier \"BBBB\";",
      ], ["a.fbs"])
    #expect(schema.files.map(\.rootTable) == [0, nil])
    #expect(schema.files.map(\.fileIdentifier) == ["BBBB", nil])
  }

  @Test("A missing schema is an error") func aMissingSchemaIsAnError() {
    #expect {
      try compile([:], ["a.fbs"])
    } throws: { error in
      "\(error)" == "a.fbs:1:1: error: this file can't be read; give the path of a schema"
    }
  }

  @Test("A table without a primary key can be the root of a file that includes it")
  func aRootMayBeInAnIncludedFile() throws {
    let schema = try compile(
      ["a.fbs": "include \"b.fbs\"; root_type B;", "b.fbs": "table B { x: int; } file_identifier \"BBBB\";"], ["a.fbs"])
    #expect(schema.files.map(\.rootTable) == [nil, 0])
    #expect(!schema.tables[0].isRoot && schema.warnings.isEmpty)
  }

  @Test("The root type of a file can also be that of a file that it includes and that includes it")
  func aRootMayBeInAnIncludingFile() throws {
    let schema = try compile(
      [
        "a.fbs": "include \"b.fbs\"; table A { id: int (primary); } root_type A; file_identifier \"AAAA\";",
        "b.fbs": "include \"a.fbs\"; root_type A; file_identifier \"AAAA\";",
      ], ["a.fbs"])
    #expect(schema.files.map(\.path) == ["b.fbs", "a.fbs"])
    #expect(schema.files.map(\.rootTable) == [0, 0])
    #expect(schema.tables[0].isEntity && schema.warnings.isEmpty)
  }

  /// A source in which the names of files are bytes. As the keys of a dictionary, equivalent names would be one.
  private struct ByteSource: SchemaSource {
    let files: [(path: String, text: String)]

    func read(_ path: String) -> [UInt8]? {
      files.first { $0.path.utf8.elementsEqual(path.utf8) }.map { Array($0.text.utf8) }
    }
  }

  @Test("Files whose names are canonically equivalent are different files") func namesAreBytes() throws {
    let (composed, decomposed) = ("\u{e9}.fbs", "e\u{301}.fbs")
    let files = [
      (path: "a.fbs", text: "include \"\(composed)\"; include \"\(decomposed)\"; table A { b: B; c: C; }"),
      (path: composed, text: "table B {}"), (path: decomposed, text: "table C {}"),
    ]
    let compiler = SchemaCompiler(source: ByteSource(files: files))
    let schema = try compiler.compile("a.fbs")
    #expect(schema.tables.map(\.name.name) == ["B", "C", "A"])
    #expect(schema.files.map { Array($0.path.utf8) } == [composed, decomposed, "a.fbs"].map { Array($0.utf8) })
    let both = try compiler.compile([composed, decomposed])
    #expect(both.files.count == 2)
    // One of them is emitted, not both.
    let emitted = SwiftEmitter().files(for: both, of: [decomposed])
    #expect(emitted.count == 1 && emitted.allSatisfy { $0.text.contains("struct C") && !$0.text.contains("struct B") })
    #expect(MemorySource([composed: ""]).read(decomposed) == nil)
  }

  /// Swift takes the `/` and the accent for one character.
  @Test("The name of a file can begin with a combining character") func namesBeginWithAnyCharacter() throws {
    let files = [
      (path: "sub/\u{301}a.fbs", text: "include \"b.fbs\"; table A { b: B; }"), (path: "sub/b.fbs", text: "table B {}"),
      (path: "/\u{301}c.fbs", text: "include \"/\u{301}d/e.fbs\"; table C { e: E; }"),
      (path: "/\u{301}d/e.fbs", text: "table E {}"),
    ]
    let compiler = SchemaCompiler(source: ByteSource(files: files))
    let schema = try compiler.compile("sub/\u{301}a.fbs")
    #expect(schema.tables.map(\.name.name) == ["B", "A"])
    #expect(SwiftEmitter().files(for: schema, of: ["sub/\u{301}a.fbs"]).map(\.name) == ["\u{301}a.fbs.swift"])
    #expect(try compiler.compile("/\u{301}c.fbs").tables.map(\.name.name) == ["E", "C"])
  }

  /// A source that returns the same text for every path, and the path itself, so that no file is a copy of another.
  private struct EndlessSource: SchemaSource {
    let text: String

    func read(_ path: String) -> [UInt8]? { Array("\(text) // \(path)".utf8) }
  }

  @Test(
    "Endless includes are refused at the depth limit",
    arguments: ["include \"a/b.fbs\";", "include \"a/b.fbs\"; include \"c/d.fbs\";"])
  func includesComeToAnEnd(text: String) throws {
    let error = #expect(throws: SchemaErrors.self) {
      try SchemaCompiler(source: EndlessSource(text: text)).compile("t.fbs")
    }
    #expect(try #require(error).diagnostics[0].message.hasPrefix("includes nest deeper than 128"))
  }

  @Test("The includes of a file that is reached through a symbolic link are searched for in the file's own folder")
  func includesBehindALink() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("IncludeTests-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("real/deep"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("link"), withDestinationURL: folder.appendingPathComponent("real/deep"))
    let files = [
      "real/deep/a.fbs": "include \"../b.fbs\"; table A { b: B; }",
      "real/b.fbs": "include \"c.fbs\"; table B { c: C; }", "real/c.fbs": "table C { right: int; }",
      "b.fbs": "table B { wrong: int; }", "c.fbs": "table C { wrong: int; }",
    ]
    for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
    let schema = try SchemaCompiler().compile(folder.appendingPathComponent("link/a.fbs").path)
    #expect(schema.tables.map(\.name.name) == ["C", "B", "A"])
    #expect(try schema.table("C").fields.map(\.name) == ["right"])
    // The path in errors leads to the file.
    #expect(schema.files.allSatisfy { FileSystemSource().read($0.path) != nil })
    #expect(schema.files[1].path.hasSuffix("/link/../b.fbs"))
  }

  @Test("A file that is included by two paths is compiled once") func theFileSystemKnowsOneFileByTwoPaths() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("IncludeTests-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("link"), withDestinationURL: folder.appendingPathComponent("sub"))
    try Data("include \"sub/b.fbs\"; include \"link/b.fbs\"; table A { b: B; }".utf8)
      .write(to: folder.appendingPathComponent("a.fbs"))
    try Data("table B {}".utf8).write(to: folder.appendingPathComponent("sub/b.fbs"))
    let schema = try SchemaCompiler().compile(folder.appendingPathComponent("a.fbs").path)
    #expect(schema.tables.map(\.name.name) == ["B", "A"])
    #expect(throws: SchemaErrors.self) { try SchemaCompiler().compile(folder.path) }
  }

  /// The system's strings end at U+0000.
  @Test("A path that contains U+0000 doesn't lead to the file that precedes the character") func cutPath() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("IncludeTests-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("a.fbs").path
    try Data("table A {}".utf8).write(to: URL(fileURLWithPath: path))
    let source = FileSystemSource()
    #expect(source.read(path) != nil)
    #expect(source.read(path + "\0.fbs") == nil)
    #expect(source.identity(of: path + "\0.fbs") != source.identity(of: path))
    #expect(throws: SchemaErrors.self) { try SchemaCompiler().compile(path + "\0.fbs") }
  }
}
