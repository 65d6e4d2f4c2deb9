import Foundation
import Testing

/// Locks: `--accept` writes them, and compiling checks schemas against them.
@Suite(.timeLimit(.minutes(15))) struct LockTests {
  static let post = """
    namespace Blog;
    table Post {
      title: string (primary);
      stars: int;
    }
    root_type Post;

    """

  /// The schema with a change that its lock allows, and with one that it doesn't.
  static let grown = post.replacingOccurrences(of: "stars: int;", with: "stars: int;\n  tags: [string];")
  static let retyped = post.replacingOccurrences(of: "stars: int;", with: "stars: long;")

  /// Returns a runner in whose folder the schema is locked.
  private func locked(_ files: [String: String] = ["post.fbs": LockTests.post]) throws -> DFlatCRunner {
    let dflatc = try DFlatCRunner(files)
    let outcome = try dflatc(["--accept"] + files.keys.sorted())
    try #require(outcome.status == 0 && outcome.output.isEmpty && outcome.error.isEmpty)
    return dflatc
  }

  // MARK: Accepting

  @Test("Accepting a schema writes its lock next to it, and no Swift file") func acceptWritesTheLock() throws {
    let dflatc = try locked(["in/post.fbs": Self.post])
    #expect(try dflatc.files() == ["in/post.fbs", "in/post.fbs.lock"])
    let lines = try dflatc.text("in/post.fbs.lock").split(separator: "\n").filter { !$0.hasPrefix("// ") }
    #expect(
      lines == [
        "namespace Blog;", "table Post {", "  title: string (id: 0, primary);", "  stars: int (id: 1);", "}",
        "root_type Post;",
      ])
    // Nor does it write anything to the folder of -o.
    #expect(try dflatc("-o", "out", "--accept", "in/post.fbs").status == 0)
    #expect(try dflatc.files() == ["in/post.fbs", "in/post.fbs.lock"])
  }

  @Test("A lock that wouldn't change is not written again, even if its line ends differ")
  func acceptLeavesAloneWhatStaysAsItIs() throws {
    let dflatc = try locked()
    let before = try dflatc.identity("post.fbs.lock")
    #expect(try dflatc("--accept", "post.fbs").status == 0)
    #expect(try dflatc.identity("post.fbs.lock") == before)
    let converted = try dflatc.text("post.fbs.lock").replacingOccurrences(of: "\n", with: "\r\n")
    try dflatc.write(converted, to: "post.fbs.lock")
    #expect(try dflatc("post.fbs").status == 0)
    #expect(try dflatc("--accept", "post.fbs").status == 0)
    #expect(try dflatc.text("post.fbs.lock").utf8.elementsEqual(converted.utf8))
  }

  @Test("A schema with an error is not accepted") func aSchemaWithAnErrorIsNotAccepted() throws {
    let dflatc = try DFlatCRunner(["good.fbs": "table Good {}", "bad.fbs": "table Bad { a: itn; }"])
    for flag in ["--accept", "--accept-incompatible"] {
      let outcome = try dflatc(flag, "good.fbs", "bad.fbs")
      #expect(outcome.status == 1 && outcome.error.hasPrefix("bad.fbs:1:16: error: "))
    }
    #expect(try dflatc.files() == ["bad.fbs", "good.fbs"])
  }

  @Test("A lock contains the included types that its schema uses") func includedTypes() throws {
    let dflatc = try DFlatCRunner([
      "app/a.fbs": "include \"b.fbs\"; table A { b: B; }", "shared/b.fbs": "table B { x: int; } table C {}",
    ])
    #expect(try dflatc("--accept", "-I", "shared", "app/a.fbs").status == 0)
    #expect(try dflatc.files() == ["app/a.fbs", "app/a.fbs.lock", "shared/b.fbs"])
    let lock = try dflatc.text("app/a.fbs.lock")
    #expect(lock.contains("table B {\n  x: int (id: 0);\n}\n") && !lock.contains("table C"))
    try dflatc.write("table B {\n  x: string;\n} table C {}", to: "shared/b.fbs")
    let outcome = try dflatc("-I", "shared", "app/a.fbs")
    #expect(outcome.status == 1 && outcome.error.hasPrefix("shared/b.fbs:2:3: error: 'x' is 'string' and was 'int'; "))
    // The included file has no lock of its own.
    #expect(try dflatc("shared/b.fbs").status == 0)
  }

  // MARK: Compiling

  @Test("A schema that its lock allows compiles without a word, and leaves the lock as it is")
  func compatibleChanges() throws {
    let dflatc = try locked()
    let lock = try dflatc.text("post.fbs.lock")
    for text in [Self.post, Self.grown] {
      try dflatc.write(text, to: "post.fbs")
      let outcome = try dflatc("post.fbs")
      #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.error.isEmpty)
      #expect(try dflatc.text("post.fbs.lock") == lock)
    }
    #expect(try dflatc.text("post.fbs.swift").contains("tags"))
  }

  @Test("A field is protected once it is accepted") func onlyAcceptedFieldsAreProtected() throws {
    let dflatc = try locked()
    try dflatc.write(Self.grown, to: "post.fbs")
    #expect(try dflatc("post.fbs").status == 0)
    // The lock doesn't have the new field yet, so it may be removed.
    try dflatc.write(Self.post, to: "post.fbs")
    #expect(try dflatc("post.fbs").status == 0)
    try dflatc.write(Self.grown, to: "post.fbs")
    #expect(try dflatc("--accept", "post.fbs").status == 0)
    #expect(try dflatc.text("post.fbs.lock").contains("  tags: [string] (id: 2);\n"))
    try dflatc.write(Self.post, to: "post.fbs")
    let outcome = try dflatc("post.fbs")
    #expect(outcome.status == 1)
    #expect(outcome.error.hasPrefix("post.fbs:2:7: error: the field 'tags' with the id 2 was removed; "))
  }

  @Test("A schema that its lock forbids doesn't compile, with the reason at its line and the remedy")
  func incompatibleChanges() throws {
    let dflatc = try locked()
    #expect(try dflatc("post.fbs").status == 0)
    let before = (lock: try dflatc.identity("post.fbs.lock"), swift: try dflatc.identity("post.fbs.swift"))
    try dflatc.write(Self.retyped, to: "post.fbs")
    for arguments in [["post.fbs"], ["--accept", "post.fbs"], ["-o", "out", "./post.fbs"]] {
      let outcome = try dflatc(arguments)
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(
        outcome.error == "post.fbs:4:3: error: 'stars' is 'long' and was 'int'; "
          + "keep the old field as 'deprecated' and append another; to start over, change 'v' of 'Blog.Post'; "
          + "if there is no data yet, replace \(arguments.last!).lock: run dflatc with --accept-incompatible for its "
          + "schema only (in a package, with --target)\n")
    }
    #expect(try dflatc.files() == ["post.fbs", "post.fbs.lock", "post.fbs.swift"])
    #expect(try dflatc.identity("post.fbs.lock") == before.lock)
    #expect(try dflatc.identity("post.fbs.swift") == before.swift)
  }

  /// Checks that a remedy makes a schema compile again that its lock forbids.
  private func expectCompiling(after remedy: (DFlatCRunner) throws -> Void) throws {
    let dflatc = try locked()
    try dflatc.write(Self.retyped, to: "post.fbs")
    #expect(try dflatc("post.fbs").status == 1)
    try remedy(dflatc)
    #expect(try dflatc("post.fbs").status == 0)
    #expect(try dflatc("--accept", "post.fbs").status == 0)
    #expect(try dflatc("post.fbs").status == 0)
  }

  @Test("A forbidden change compiles again once it is undone") func undone() throws {
    try expectCompiling { dflatc in try dflatc.write(Self.post, to: "post.fbs") }
  }

  @Test("A forbidden change compiles in another version of its type") func anotherVersion() throws {
    try expectCompiling { dflatc in
      try dflatc.write(Self.retyped.replacingOccurrences(of: "Post {", with: "Post (v: \"2\") {"), to: "post.fbs")
    }
  }

  @Test("A forbidden change compiles once it is accepted, which prints one warning") func acceptedIncompatible() throws
  {
    try expectCompiling { dflatc in
      let outcome = try dflatc("--accept-incompatible", "post.fbs")
      #expect(outcome.status == 0 && outcome.output.isEmpty)
      #expect(
        outcome.error == "post.fbs:4:3: warning: 'stars' is 'long' and was 'int'; "
          + "accepted, so existing data may be misread, refused or lost\n")
      #expect(try dflatc.text("post.fbs.lock").contains("  stars: long (id: 1);\n"))
      #expect(try dflatc("--accept-incompatible", "post.fbs").error.isEmpty)
    }
  }

  @Test("One schema that its lock forbids prevents all files from being written")
  func oneOfSeveral() throws {
    let dflatc = try locked(["a.fbs": "table A { x: int; }", "b.fbs": "table B { x: int; }"])
    try dflatc.write("table A { x: int; y: int; }", to: "a.fbs")
    try dflatc.write("table B { x: long; }", to: "b.fbs")
    for arguments in [["a.fbs", "b.fbs"], ["--accept", "a.fbs", "b.fbs"]] {
      let outcome = try dflatc(arguments)
      #expect(outcome.status == 1 && outcome.error.hasPrefix("b.fbs:1:11: error: "))
    }
    #expect(try dflatc.files() == ["a.fbs", "a.fbs.lock", "b.fbs", "b.fbs.lock"])
    #expect(try !dflatc.text("a.fbs.lock").contains("y: int"))
    // A schema without a lock isn't checked, and has none written by compiling.
    try FileManager.default.removeItem(atPath: dflatc.path("b.fbs.lock"))
    #expect(try dflatc("a.fbs", "b.fbs").status == 0)
    #expect(try dflatc.files() == ["a.fbs", "a.fbs.lock", "a.fbs.swift", "b.fbs", "b.fbs.swift"])
  }

  @Test("A lock can be compared with a schema like another schema") func locksAreSchemas() throws {
    let dflatc = try locked()
    #expect(try dflatc("check", "post.fbs.lock", "post.fbs").status == 0)
    try dflatc.write(Self.retyped, to: "post.fbs")
    #expect(try dflatc("check", "post.fbs.lock", "post.fbs").error.hasPrefix("post.fbs:4:3: error: "))
    #expect(try dflatc("check", "post.fbs", "post.fbs.lock").error.hasPrefix("post.fbs.lock:"))
  }

  @Test("A lock that lacks the names in Swift can be compared, and a damaged one is reported as a lock")
  func checkReadsLocks() throws {
    let schema = "table PostBuilder (swift_name: \"Tool\") { x: int; }\n\(Self.post)"
    let dflatc = try locked(["post.fbs": schema.replacingOccurrences(of: "namespace Blog;", with: "")])
    let lock = try dflatc.text("post.fbs.lock")
    try #require(lock.contains("table PostBuilder {"))
    // The lock has any name, and line ends before it.
    try dflatc.write("\r\n" + lock, to: "old.fbs")
    for arguments in [["old.fbs", "post.fbs"], ["post.fbs", "old.fbs"], ["post.fbs.lock", "old.fbs"]] {
      let outcome = try dflatc(["check"] + arguments)
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    }
    try dflatc.write(String(lock.dropLast(10)), to: "old.fbs")
    let outcome = try dflatc("check", "old.fbs", "post.fbs")
    #expect(outcome.status == 1 && outcome.error.contains(": error: this lock can't be read: its end is missing; "))
  }

  @Test("A lock whose schema was renamed is a warning in its folder") func locksWithoutSchemas() throws {
    let dflatc = try locked([
      "a/post.fbs": Self.post, "b/other.fbs": "table B { x: int; }", "c.fbs": "table C { x: int; }",
    ])
    try FileManager.default.moveItem(atPath: dflatc.path("a/post.fbs"), toPath: dflatc.path("a/article.fbs"))
    try FileManager.default.moveItem(atPath: dflatc.path("c.fbs"), toPath: dflatc.path("d.fbs"))
    let warning =
      ":1:1: warning: this lock has no schema beside it, so it protects nothing; "
      + "rename and move it together with its schema, or delete it\n"
    for flags in [["-o", "out"], ["--accept"], ["--accept-incompatible"]] {
      let outcome = try dflatc(flags + ["a/article.fbs", "b/other.fbs", "d.fbs"])
      #expect(outcome.status == 0 && outcome.output.isEmpty)
      #expect(outcome.error == "a/post.fbs.lock\(warning)c.fbs.lock\(warning)")
    }
    #expect(try dflatc("b/other.fbs").error.isEmpty)
    try FileManager.default.removeItem(atPath: dflatc.path("a/post.fbs.lock"))
    #expect(try dflatc("a/article.fbs").error.isEmpty)
  }

  // MARK: Locks that are none

  /// Checks that nothing compiles or accepts the schema, and that nothing is written.
  private func expectRefusal(_ dflatc: DFlatCRunner, _ error: String) throws {
    let before = try dflatc.files()
    for arguments in [["post.fbs"], ["--accept", "post.fbs"], ["--accept-incompatible", "post.fbs"]] {
      let outcome = try dflatc(arguments)
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.error.hasPrefix(error), "\(outcome.error)")
      #expect(outcome.error.split(separator: "\n").count == 1)
    }
    #expect(try dflatc.files() == before)
  }

  @Test(
    "A damaged lock is an error at its place, and is never replaced",
    arguments: [
      ("", "1:1: error: this lock can't be read: "),
      ("table Post {}\n", "1:1: error: this lock can't be read: "),
      ("// Schema lock of dflatc, format 1\ntable A {}\n", "3:1: error: this lock can't be read: its end is missing; "),
      (
        "// Schema lock of dflatc, format 1\n=======\n// End of the lock\n",
        "2:1: error: this lock can't be read: this should be a declaration"
      ),
      ("// Schema lock of dflatc, format 2\n", "1:1: error: this lock has the format 2, "),
    ])
  func damagedLocks(_ text: String, _ error: String) throws {
    let dflatc = try DFlatCRunner(["post.fbs": Self.post, "post.fbs.lock": text])
    try expectRefusal(dflatc, "post.fbs.lock:\(error)")
    #expect(try dflatc.text("post.fbs.lock") == text)
  }

  @Test("The errors of all damaged locks are reported") func severalDamagedLocks() throws {
    let dflatc = try DFlatCRunner(["a.fbs": "", "a.fbs.lock": "", "b.fbs": "", "b.fbs.lock": ""])
    let lines = try dflatc("b.fbs", "a.fbs").error.split(separator: "\n")
    #expect(lines.map { $0.prefix(14) } == ["b.fbs.lock:1:1", "a.fbs.lock:1:1"])
  }

  @Test("A lock that is not UTF-8 is an error") func aLockThatIsNotUTF8() throws {
    let dflatc = try locked()
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: dflatc.path("post.fbs.lock"))))
    bytes[bytes.count - 30] = 0xFF
    try Data(bytes).write(to: URL(fileURLWithPath: dflatc.path("post.fbs.lock")))
    try expectRefusal(dflatc, "post.fbs.lock:")
    #expect(try dflatc("post.fbs").error.contains("this is not UTF-8"))
  }

  @Test("A huge lock is an error") func aHugeLock() throws {
    let dflatc = try DFlatCRunner(["post.fbs": Self.post, "post.fbs.lock": ""])
    // The file has no blocks on disk.
    #expect(truncate(dflatc.path("post.fbs.lock"), 1 << 30) == 0)
    try expectRefusal(dflatc, "post.fbs.lock:1:1: error: this lock can't be read: it has more than 4194304 bytes; ")
  }

  @Test("A folder or a pipe in a lock's place is an error") func noRegularFile() throws {
    let folder = try DFlatCRunner(["post.fbs": Self.post, "post.fbs.lock/taken": ""])
    let error = "post.fbs.lock:1:1: error: this lock can't be read: it is not a regular file; "
    try expectRefusal(folder, error)
    let pipe = try DFlatCRunner(["post.fbs": Self.post])
    #expect(mkfifo(pipe.path("post.fbs.lock"), 0o600) == 0)
    try expectRefusal(pipe, error)
  }

  @Test("A link that leads nowhere is an error, not a schema without a lock") func aLinkToNothing() throws {
    let dflatc = try DFlatCRunner(["post.fbs": Self.post])
    #expect(symlink("absent", dflatc.path("post.fbs.lock")) == 0)
    try expectRefusal(dflatc, "post.fbs.lock:1:1: error: this lock can't be read: ")
  }

  @Test("A link to a lock is read, and not replaced") func aLinkToALock() throws {
    let dflatc = try locked(["in/post.fbs": Self.post])
    try dflatc.write(Self.post, to: "post.fbs")
    #expect(symlink("in/post.fbs.lock", dflatc.path("post.fbs.lock")) == 0)
    #expect(try dflatc("post.fbs").status == 0)
    #expect(try dflatc("--accept", "post.fbs").status == 0)
    let lock = try dflatc.text("in/post.fbs.lock")
    try dflatc.write(Self.grown, to: "post.fbs")
    let outcome = try dflatc("--accept", "post.fbs")
    #expect(outcome.status == 1)
    #expect(outcome.error.hasPrefix("post.fbs.lock:1:1: error: this lock can't be written: it is a symbolic link; "))
    #expect(try dflatc.text("in/post.fbs.lock") == lock)
    try dflatc.write(Self.retyped, to: "post.fbs")
    #expect(try dflatc("post.fbs").error.hasPrefix("post.fbs:4:3: error: "))
  }
}
