import DflatSchema
import Testing

/// Locks: the schemas that later versions of a file have to be able to replace.
@Suite struct SchemaLockTests {
  private func compile(_ files: [String: String], _ paths: [String] = ["a.fbs"]) throws -> Schema {
    try SchemaCompiler(source: MemorySource(files)).compile(paths)
  }

  /// Returns the index of a file in a schema.
  private func file(_ path: String, of schema: Schema) throws -> Int {
    try #require(schema.files.firstIndex { $0.path == path })
  }

  private func lock(of path: String = "a.fbs", in schema: Schema) throws -> String {
    try SchemaLock.text(of: file(path, of: schema), in: schema)
  }

  /// Returns the errors of a new schema whose files have locks of an old one.
  private func problems(
    _ old: [String: String], _ new: [String: String], _ paths: [String] = ["a.fbs"]
  ) throws -> [String] {
    let (old, new) = (try compile(old, paths), try compile(new, paths))
    let files = try paths.map { path in
      let name = path + ".lock"
      let locked = try SchemaLock.schema(of: Array(lock(of: path, in: old).utf8), at: name)
      return SchemaLock.LockedFile(file: try file(path, of: new), path: name, schema: locked)
    }
    return SchemaLock.problems(of: files, in: new).map(\.description)
  }

  // MARK: Texts

  @Test("A lock has the types of a file with all types that they use, and its root")
  func contents() throws {
    let schema = try compile(
      [
        "a.fbs": """
        include "b.fbs";
        /// A comment.
        namespace N; attribute "hint";
        table A (v: "1") { name: string (primary, hint: "x"); b: B; color: M.Color = Green; }
        table Unused { x: int; }
        root_type A;
        file_identifier "AAAA";
        """,
        "b.fbs": "namespace N; table B { p: M.Point; } table Other {} namespace M; struct Point { x: float; } "
          + "enum Color : byte { Red, Green } enum Unused : byte { X }",
      ])
    let lines = try lock(in: schema).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.first.map { $0 + "\n" } == LockText.first)
    #expect(lines.dropFirst().prefix(2).allSatisfy { $0.hasPrefix("// ") && $0.utf8.count <= 120 })
    #expect(
      lines.dropFirst(3).joined(separator: "\n") == """
        namespace M;
        enum Color : byte {
          Red = 0,
          Green = 1
        }
        struct Point {
          x: float;
        }
        namespace N;
        table A (v: "1") {
          name: string (id: 0, primary);
          b: B (id: 1);
          color: M.Color = 1 (id: 2);
        }
        table B {
          p: M.Point (id: 0);
        }
        table Unused {
          x: int (id: 0);
        }
        file_identifier "AAAA";
        root_type A;
        // End of the lock

        """)
    // A lock is a schema without includes.
    #expect(try compile(["a.fbs": lock(in: schema)]).files.map(\.includes) == [[]])
  }

  @Test("The lock of every schema has no difference to it, and is that of its own schema") func roundTrip() throws {
    let schemas = try SchemaTextTests.schemas()
    try #require(schemas.count >= 30)
    for (name, schema) in schemas {
      let file = try #require(schema.files.indices.last)
      let text = try SchemaLock.text(of: file, in: schema)
      let locked = try SchemaLock.schema(of: Array(text.utf8), at: "a.fbs.lock")
      #expect(try SchemaLock.text(of: 0, in: locked) == text, "\(name)")
      let files = [SchemaLock.LockedFile(file: file, path: "lock", schema: locked)]
      #expect(SchemaLock.problems(of: files, in: schema) == [], "\(name)")
      #expect(SchemaEvolution.problems(from: schema, to: locked) == [], "\(name)")
    }
  }

  @Test("A schema without types has a lock") func noTypes() throws {
    let schema = try compile(["a.fbs": "include \"b.fbs\";", "b.fbs": "table B {}"])
    let text = try lock(in: schema)
    #expect(text.hasPrefix(LockText.first) && text.hasSuffix("\n" + LockText.last) && !text.contains("\n\n"))
    #expect(try SchemaLock.schema(of: Array(text.utf8), at: "a.fbs.lock").tables.isEmpty)
  }

  @Test("A type that another one hides can't be locked") func hiddenNames() throws {
    let schema = try compile(
      [
        "b.fbs": "namespace B; table T { x: int; }",
        "a.fbs": "include \"b.fbs\"; namespace A; table U { x: int; t: B.T (deprecated); }",
        "c.fbs": "namespace A.B; table T { y: int; }",
        "d.fbs": "include \"a.fbs\"; include \"c.fbs\"; namespace D; table R { u: A.U; t: A.B.T; }",
      ], ["d.fbs"])
    let error = #expect(throws: SchemaErrors.self) { try lock(of: "d.fbs", in: schema) }
    #expect(error?.diagnostics.map(\.location.description) == ["b.fbs:1:20"])
    #expect(error?.diagnostics.first?.message.contains("'B.T'") == true)
    // Alone, each file can be locked.
    for path in ["a.fbs", "b.fbs", "c.fbs"] { #expect(try !lock(of: path, in: schema).isEmpty) }
  }

  @Test("Locks have a maximum size") func size() throws {
    let text = String(repeating: "a", count: SchemaLock.maximumSize)
    let schema = try compile(["a.fbs": "table A { text: string = \"\(text)\"; }"])
    let error = #expect(throws: SchemaErrors.self) { try lock(in: schema) }
    #expect(error?.description.hasPrefix("a.fbs:1:1: error: ") == true)
    let bytes = Array(LockText.first.utf8) + [UInt8](repeating: UInt8(ascii: "\n"), count: SchemaLock.maximumSize)
    #expect(LockText.error(in: bytes).contains("it has more than \(SchemaLock.maximumSize) bytes"))
  }

  @Test("Line ends make no difference") func lineEnds() throws {
    let text = try lock(in: compile(["a.fbs": "table A { x: int; } enum E : byte { A, B }"]))
    for lineEnd in ["\n", "\r\n", "\r", "\n\n"] {
      let bytes = Array(text.utf8).flatMap { $0 == UInt8(ascii: "\n") ? Array(lineEnd.utf8) : [$0] }
      #expect(try SchemaLock.text(of: 0, in: SchemaLock.schema(of: bytes, at: "a.fbs.lock")) == text)
      #expect(SchemaLock.isSame(bytes, as: text))
    }
    #expect(!SchemaLock.isSame(Array(text.utf8.dropLast(2)) + [0], as: text))
    #expect(!SchemaLock.isSame([], as: text))
  }

  // MARK: Comparing

  private func remedy(_ locks: String, startOver type: String? = nil) -> String {
    let start = type.map { "; to start over, change 'v' of '\($0)'" } ?? ""
    return "\(start); if there is no data yet, replace \(locks): run dflatc with --accept-incompatible for "
      + "\(locks.contains(" and ") ? "their schemas" : "its schema") only (in a package, with --target)"
  }

  @Test("A change is reported in the new schema, with its remedy") func incompatible() throws {
    #expect(
      try problems(["a.fbs": "table A { x: int; y: int; }"], ["a.fbs": "table A {\n  x: int;\n  y: string;\n}"]) == [
        "a.fbs:3:3: error: 'y' is 'string' and was 'int'; keep the old field as 'deprecated' and append another"
          + remedy("a.fbs.lock", startOver: "A")
      ])
  }

  @Test("Everything that may change is allowed") func compatible() throws {
    let old = "table A { x: int; y: int; } enum E : byte { P }"
    for new in [
      "table A { x: int; y: int; z: string; } enum E : byte { P, Q }",
      "table A { x: int; y: int (deprecated); } table B {} enum E : byte { P }",
      "table A { left: int; top: int; } enum E : byte { R }", "enum E : byte { P }",
      "table A (v: \"2\") { x: string; } enum E : byte { P }",
    ] {
      #expect(try problems(["a.fbs": old], ["a.fbs": new]) == [], "\(new)")
    }
  }

  @Test("A change of an included type appears once, at its place, with the locks of all files that use it")
  func includedTypes() throws {
    func files(_ included: String) -> [String: String] {
      [
        "a.fbs": "include \"x.fbs\"; table A { x: X; }", "b.fbs": "include \"x.fbs\"; table B { x: [X]; }",
        "c.fbs": "include \"x.fbs\"; table C { y: int; }", "x.fbs": "table X { \(included) }",
      ]
    }
    let problem =
      "x.fbs:1:11: error: 'n' is 'long' and was 'int'; keep the old field as 'deprecated' and append another"
    func problems(_ paths: String...) throws -> [String] {
      try self.problems(files("n: int;"), files("n: long;"), paths)
    }
    #expect(try problems("a.fbs") == [problem + remedy("a.fbs.lock")])
    #expect(try problems("a.fbs", "b.fbs") == [problem + remedy("a.fbs.lock and b.fbs.lock")])
    #expect(try problems("a.fbs", "b.fbs", "c.fbs", "x.fbs") == [problem + remedy("a.fbs.lock and 2 others")])
    #expect(try problems("c.fbs") == [])
  }

  @Test("Each file has a root of its own") func rootsOfSeveralFiles() throws {
    func files(_ root: String) -> [String: String] {
      [
        "a.fbs": "table A { id: int (primary); } \(root)", "b.fbs": "table B { id: int (primary); } root_type B;",
      ]
    }
    #expect(try problems(files("root_type A;"), files("root_type A;"), ["a.fbs", "b.fbs"]) == [])
    #expect(
      try problems(files("root_type A;"), files(""), ["a.fbs", "b.fbs"]) == [
        "a.fbs:1:1: error: the root type 'A' was removed, so its stored values would be lost; write 'root_type A;'"
          + remedy("a.fbs.lock")
      ])
  }

  @Test("Another version is suggested only where it helps") func startingOver() throws {
    /// Returns the type that the only problem's remedy names.
    func suggestion(_ old: String, _ new: String) throws -> Substring? {
      let problems = try problems(["a.fbs": old], ["a.fbs": new])
      try #require(problems.count == 1, "\(problems)")
      let parts = problems[0].split(separator: "to start over, change 'v' of '", maxSplits: 1)
      return parts.count < 2 ? nil : parts[1].prefix { $0 != "'" }
    }
    func suggestion(changing old: String) throws -> Substring? {
      try suggestion(old, old.replacing("x: int", with: "x: uint"))
    }
    #expect(try suggestion(changing: "struct P { x: int; }") == "P")
    #expect(try suggestion(changing: "table A { a: [A]; x: int; }") == "A")
    let entity = "namespace N; table A { id: int (primary); x: int; } root_type A;"
    #expect(try suggestion(changing: entity) == "N.A")
    #expect(try suggestion(entity, entity + " file_identifier \"AAAA\";") == "N.A")
    // Types inside others, and types without a version.
    let parts = [
      "table B { x: int; } table A { b: B; }", "table B { x: int; } table A { b: [B]; }",
      "table B { x: int; } union U { B } table A { u: U; }", "struct B { x: int; } struct A { b: [B:2]; }",
      "table B { x: int; } table A { b: [ubyte] (nested_flatbuffer: \"B\"); }",
    ]
    for part in parts { #expect(try suggestion(changing: part) == nil, "\(part)") }
    #expect(try suggestion("enum E : byte { X, Y } table A { e: E; }", "enum E : byte { X } table A { e: E; }") == nil)
    let tables = "table P { x: int; } table Q { x: int; }"
    #expect(try suggestion("\(tables) union U { P, Q }", "\(tables) union U { P }") == nil)
    // The primary key of an entity inside another type, and a required field of a table inside one.
    let part = "table A { id: int (primary); x: int; } table B { a: A; } root_type A;"
    let keys = try problems(["a.fbs": part], ["a.fbs": part.replacing("x: int", with: "x: int (primary)")])
    #expect(keys.map { $0.hasSuffix("; keep the primary key" + remedy("a.fbs.lock")) } == [true])
    let required = "table B { x: string (required); } table A { b: B; }"
    let deprecated = required.replacing("required", with: "deprecated")
    let fields = try problems(["a.fbs": required], ["a.fbs": deprecated])
    #expect(fields.map { $0.hasSuffix("; keep it" + remedy("a.fbs.lock")) } == [true])
  }

  @Test("A type stays locked when it moves to another file") func movedTypes() throws {
    let old = ["a.fbs": "table A {}\ntable T { x: int; }", "b.fbs": "table B {}"]
    let same = ["a.fbs": "table A {}", "b.fbs": "table B {}\ntable T { x: int; }"]
    let other = ["a.fbs": "table A {}", "b.fbs": "table B {}\ntable T { x: long; }"]
    #expect(try problems(old, same, ["a.fbs", "b.fbs"]) == [])
    #expect(
      try problems(old, other, ["a.fbs", "b.fbs"]).map { $0.hasPrefix("b.fbs:2:11: error: 'x' is 'long'") } == [true])
  }

  @Test("An entity stays locked when it moves to another file") func movedEntity() throws {
    func new(_ a: String, _ b: String) -> [String: String] { ["a.fbs": a, "b.fbs": "table B {} \(b)"] }
    func problems(_ new: [String: String]) throws -> [String] {
      let old = ["a.fbs": "table A { id: int (primary); } root_type A;", "b.fbs": "table B {}"]
      return try self.problems(old, new, ["a.fbs", "b.fbs"])
    }
    let moved = "table A { id: int (primary); } root_type A;"
    #expect(try problems(new("", moved)) == [])
    #expect(try problems(new("table C { id: int (primary); } root_type C;", moved)) == [])
    let changed = try problems(new("", moved.replacing("int", with: "long")))
    #expect(changed.map { $0.hasPrefix("b.fbs:1:22: error: 'id' is 'long' and was 'int'; ") } == [true])
    let removed = try problems(new("", "table A { id: int (primary); }"))
    #expect(removed.map { $0.hasPrefix("a.fbs:1:1: error: the root type 'A' was removed") } == [true])
  }

  @Test("A table that wasn't the root of the lock can become a root with an identifier")
  func identifiersOfOtherTables() throws {
    let table = "table B { y: int; } root_type B; file_identifier \"BBBB\";"
    let included = ["a.fbs": "include \"x.fbs\"; table A { b: B; }", "x.fbs": table]
    // The root of the included file becomes that of the including one, or moves to it.
    var root = included
    root["a.fbs"]? += " root_type B;"
    #expect(try problems(included, root) == [])
    #expect(try problems(included, ["a.fbs": "\(table) table A { b: B; }"]) == [])
    // Then its identifier is locked.
    var other = root
    other["x.fbs"] = table.replacing("BBBB", with: "CCCC")
    #expect(
      try problems(root, other).map { $0.hasPrefix("x.fbs:1:50: error: the file identifier is \"CCCC\"") } == [true])
  }

  @Test("Locks of one name in several folders are told apart") func locksOfOneName() throws {
    func files(_ type: String) -> [String: String] {
      [
        "a/t.fbs": "include \"../x.fbs\"; table A { x: X; }", "b/t.fbs": "include \"../x.fbs\"; table B { x: X; }",
        "x.fbs": "table X { n: \(type); }",
      ]
    }
    let problems = try problems(files("int"), files("long"), ["a/t.fbs", "b/t.fbs"])
    #expect(problems.map { $0.hasSuffix(remedy("a/t.fbs.lock and b/t.fbs.lock")) } == [true])
  }

  @Test("A root of an included file has that file's identifier") func identifierOfAnotherFile() throws {
    func files(_ identifier: String) -> [String: String] {
      [
        "a.fbs": "include \"b.fbs\"; root_type B;",
        "b.fbs": "table B { id: int (primary); }\nroot_type B;\nfile_identifier \"\(identifier)\";",
      ]
    }
    #expect(try problems(files("BBBB"), files("BBBB"), ["a.fbs", "b.fbs"]) == [])
    #expect(
      try problems(files("BBBB"), files("CCCC"), ["a.fbs", "b.fbs"]) == [
        "b.fbs:3:17: error: the file identifier is \"CCCC\" and was \"BBBB\"; programs refuse data with another one; "
          + "write 'file_identifier \"BBBB\";'" + remedy("a.fbs.lock and b.fbs.lock", startOver: "B")
      ])
  }

  @Test("A type that the schema finds through another file's includes is locked")
  func typesOfOtherFiles() throws {
    // Only c.fbs, which includes both, makes B known to a.fbs.
    let files = [
      "a.fbs": "table A { b: B; }", "b.fbs": "table B { x: int; }", "c.fbs": "include \"b.fbs\"; include \"a.fbs\";",
    ]
    var changed = files
    changed["b.fbs"] = "table B { x: long; }"
    #expect(try problems(files, files, ["c.fbs", "a.fbs"]) == [])
    #expect(try problems(files, changed, ["c.fbs", "a.fbs"]).count == 1)
  }
}
