import DflatSchema
import Testing

/// Damaged locks: each is refused with one error.
@Suite struct SchemaLockDamageTests {
  static let first = LockText.first
  static let last = LockText.last

  struct Damage: Sendable, CustomTestStringConvertible {
    let text: String
    /// The line and column of the error.
    let place: String
    let reason: String

    init(_ text: String, _ place: String, _ reason: String) {
      self.text = text
      self.place = place
      self.reason = reason
    }

    var testDescription: String { "\(place): \(reason)" }
  }

  static let noStart = "it doesn't begin like a lock"
  static let noEnd = "its end is missing"

  static let damage = [
    Damage("", "1:1", noStart),
    Damage("\r\n\n", "1:1", noStart),
    Damage("table A {}\n\(last)", "1:1", noStart),
    Damage("// Schema lock of dflatc, format \n\(last)", "1:1", noStart),
    Damage("// Schema lock of dflatc, format 0\n\(last)", "1:1", noStart),
    Damage("// Schema lock of dflatc, format -1\n\(last)", "1:1", noStart),
    Damage("// Schema lock of dflatc, format 1 \n\(last)", "1:1", noStart),
    Damage("// Schema lock of dflatc, format 1234567890\n\(last)", "1:1", noStart),
    Damage("\u{FEFF}\(first)\(last)", "1:1", noStart),
    Damage(first, "2:1", noEnd),
    Damage("\(first)table A {}\n// End of the loc", "3:18", noEnd),
    Damage("\(first)table A {}\n\(last)table B {}\n", "5:1", noEnd),
    Damage("\(first)/*\n\(last)", "2:1", "this comment is not closed"),
    Damage("\(first)table A { x: int; \n\(last)", "2:18", "'}' is missing at the end of 'A'"),
    Damage("\(first)<<<<<<< HEAD\ntable A {}\n\(last)", "2:1", "'<' is not allowed here"),
    Damage("\(first)table A { x: B; }\n\(last)", "2:14", "there is no type 'B'"),
    Damage("\(first)table A {}\ntable A {}\n\(last)", "3:7", "'A' is declared twice"),
    Damage("\(first)table A { x: int (id: 0); y: int (id: 0); }\n\(last)", "2:39", "'y' has the id 0"),
    Damage("\(first)include \"b.fbs\";\n\(last)", "2:9", "the file 'b.fbs' was not found"),
    Damage("\(first)table \u{0}A {}\n\(last)", "2:7", "U+0 is not allowed here"),
  ]

  @Test("A damaged lock is refused with one error at its place", arguments: damage)
  func damagedLocks(_ damage: Damage) {
    let error = LockText.error(in: Array(damage.text.utf8))
    #expect(error.hasPrefix("in/a.fbs.lock:\(damage.place): error: this lock can't be read: \(damage.reason)"))
    #expect(error.hasSuffix("; restore it from version control, or delete it and accept the schema again"))
    #expect(!error.contains("\n"))
  }

  @Test("A lock that is not UTF-8 is refused, even in a comment") func notUTF8() {
    for (line, column) in [("// \u{61}", 4), ("table a {}", 7)] {
      let bytes = Array((Self.first + line + "\n" + Self.last).utf8)
      let position = Self.first.utf8.count + column - 1
      var damaged = bytes
      damaged[position] = 0xFF
      let error = LockText.error(in: damaged)
      #expect(error.hasPrefix("in/a.fbs.lock:2:\(column): error: this lock can't be read: this is not UTF-8"))
    }
  }

  @Test("Every truncated lock is refused") func truncated() throws {
    let files = ["a.fbs": "table A { x: int; }\ntable B { a: A; }\nroot_type B;"]
    let text = try SchemaLock.text(of: 0, in: SchemaCompiler(source: MemorySource(files)).compile(["a.fbs"]))
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count - 1 {
      #expect(LockText.error(in: Array(bytes.prefix(count))) != "", "\(count)")
    }
    #expect(LockText.error(in: Array(bytes.dropLast())) == "")
  }

  @Test("A lock of a newer format asks for a newer dflatc") func newerFormat() {
    let text = "// Schema lock of dflatc, format 2\nwhatever this means\n"
    #expect(
      LockText.error(in: Array(text.utf8))
        == "in/a.fbs.lock:1:1: error: this lock has the format 2, and this dflatc reads formats up to 1; "
        + "use the version of dflatc that wrote it, or a newer one")
  }
}
