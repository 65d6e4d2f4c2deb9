import Foundation
import Testing

@testable import kvtool

/// Errors of commands with a schema.
@Suite(.timeLimit(.minutes(15))) struct FlatBuffersErrorTests {
  let folder: FlatBuffersFolder
  let kvtool: KVToolRunner

  init() throws {
    folder = try FlatBuffersFolder()
    kvtool = folder.kvtool
    try folder.write(FlatBuffersFixtures.rich, to: "rich.fbs")
    try folder.write(FlatBuffersFixtures.unions, to: "unions.fbs")
    try folder.write(FlatBuffersFixtures.post, to: "post.fbs")
    try folder.write(FlatBuffersFixtures.priority, to: "priority.fbs")
  }

  /// JSON texts that are no Post, each with the beginning of its error message.
  static let posts = [
    (#"{"title":"t","stras":5}"#, #"Post has no field "stras": did you mean 'stars'?"#),
    (#"{"title":"t","wings":5}"#, #"Post has no field "wings": it has title, priority, stars, score,"#),
    (#"{"stars":5}"#, #"the field "title" of Post is required"#),
    (#"{"title":null}"#, #"the field "title" of Post is required"#),
    (#"{"title":5}"#, "title: 5 is not a string"),
    (#"{"title":"t","stars":256}"#, "stars: 256 is not a valid ubyte: use a whole number from 0 to 255"),
    (#"{"title":"t","stars":1.0}"#, "stars: 1.0 is not a valid ubyte"),
    (#"{"title":"t","stars":true}"#, "stars: true is not a valid ubyte"),
    (#"{"title":"t","score":1e39}"#, "score: 1e+39 is not a valid float"),
    (#"{"title":"t","score":"high"}"#, #"score: "high" is not a valid float"#),
    (#"{"title":"t","priority":"Hihg"}"#, #"priority: "Hihg" is not a value of Priority: use Low, High, or a number"#),
    (#"{"title":"t","priority":200}"#, "priority: 200 is not a valid byte"),
    (#"{"title":"t","author":"Me"}"#, #"author: "Me" is not a valid Author: use an object"#),
    (#"{"title":"t","author":{"nmae":""}}"#, #"author: Author has no field "nmae": did you mean 'name'?"#),
    (#"{"title":"t","tags":"a"}"#, #"tags: "a" is not a vector: use an array"#),
    (#"{"title":"t","tags":["a",null]}"#, "tags[1]: null is not a string"),
    (#"{"title":"t","parts":[{},{"name":{}}]}"#, "parts[1].name: {} is not a string"),
    (#"{"title":"t","place":{"x":1}}"#, #"place: the field "y" of Place is missing"#),
    (#"{"title":"t","place":{"x":1,"y":2,"z":3}}"#, #"place: Place has no field "z": it has x, y"#),
    (#"{"title":"t","place":{"x":1,"y":40000}}"#, "place.y: 40000 is not a valid short"),
    (#"[1]"#, "[1] is not a valid Post: use an object"), (#"{"title":"t",,}"#, "the value is not JSON, line 1"),
    ("{\"title\":\"t\",\n\"title\":\"t\"}", "the value is not JSON, line 2: an object contains a name twice"),
  ]

  @Test("An error names the part of a JSON text that doesn't fit its table", arguments: posts)
  func namesWhatIsNoValue(json: String, message: String) async throws {
    let outcome = try await kvtool("set", "k", json, "--schema", "post.fbs")
    // A name that the schema doesn't have is a mistake in the usage, as it is in a condition.
    #expect(outcome.status == (message.contains("has no field") ? 64 : 1) && outcome.output.isEmpty)
    #expect(outcome.error.hasPrefix("kvtool: key \"k\": \(message)"), "\(outcome.error)")
    #expect(outcome.error.filter(\.isNewline).count == 1)
    #expect(!FileManager.default.fileExists(atPath: kvtool.database.path))
  }

  static let drawings = [
    (#"{"one":{"x":1,"y":2}}"#, #"one: its kind is missing: add "one_type", use Point, Name, Text, Other"#),
    (#"{"one_type":"Point"}"#, #"one: it is missing, but "one_type" says that it exists"#),
    (#"{"one_type":"Pint","one":{}}"#, #"one: "Pint" is not a kind of Shape: use Point, Name, Text, Other"#),
    (#"{"one_type":9,"one":{}}"#, "one: 9 is not a kind of Shape"),
    (#"{"one_type":"Text","one":"text"}"#, #"one: "text" is not a valid Text: use an object"#),
    (#"{"many":[{}]}"#, "many: a vector of unions must be two arrays of the same length"),
    (#"{"many":[{}],"many_type":[]}"#, "many: a vector of unions must be two arrays of the same length"),
    (#"{"many":[{}],"many_type":["NONE"]}"#, "many[0]: NONE is not allowed in a vector"),
    (#"{"many":["n",{"text":5}],"many_type":["Name","Text"]}"#, "many[1].text: 5 is not a string"),
  ]

  @Test("An error names the part of a JSON text that doesn't fit a union", arguments: drawings)
  func namesWhatIsNoUnion(json: String, message: String) async throws {
    let outcome = try await kvtool("set", "k", json, "--schema", "unions.fbs")
    #expect(outcome.status == 1)
    #expect(outcome.error.hasPrefix("kvtool: key \"k\": \(message)"), "\(outcome.error)")
  }

  @Test(
    "An error names the part of a JSON text that doesn't fit a scalar or an array",
    arguments: [
      (
        #"{"req":"","a":{"n":1,"ints":[1,2],"colors":["Red","Red"],"vectors":[]}}"#,
        "a.ints: [1,2] is not an array of 3"
      ),
      (#"{"req":"","fl":"A D"}"#, #"fl: "D" is not a value of Flags: use A, B, C, or a number"#),
      (#"{"req":"","fl":""}"#, #"fl: "" is not a valid ubyte"#),
      (#"{"req":"","b":2}"#, "b: 2 is not a valid bool: use true or false"),
      (#"{"req":"","vi8":[1,-129]}"#, "vi8[1]: -129 is not a valid byte"),
      (#"{"req":"","i64":1e3}"#, "i64: 1000.0 is not a valid long"),
      (#"{"req":"","nested":{"n":"x"}}"#, #"nested.n: "x" is not a valid int"#),
      (#"{"req":"","nested":[256]}"#, "nested[0]: 256 is not a valid ubyte"),
      (#"{"req":"","u64":18446744073709551616}"#, "u64: 1.8446744073709552e+19 is not a valid ulong"),
    ])
  func namesWhatIsNoScalar(json: String, message: String) async throws {
    let outcome = try await kvtool("set", "k", json, "--schema", "rich.fbs")
    #expect(outcome.status == 1)
    #expect(outcome.error.hasPrefix("kvtool: key \"k\": \(message)"), "\(outcome.error)")
  }

  @Test("Tables that are nested deeper than 64 levels are refused") func depthIsBounded() async throws {
    let nested = { (depth: Int) in
      String(repeating: #"{"req":"","rec":"#, count: depth - 1) + #"{"req":""}"#
        + String(repeating: "}", count: depth - 1)
    }
    let deepest = nested(64)
    try await kvtool("set", "k", deepest, "--schema", "rich.fbs")
    let printed = try await kvtool("get", "k", "--schema", "rich.fbs")
    #expect(try folder.json(printed.output) == folder.json(deepest))
    let refused = try await kvtool("set", "k", nested(65), "--schema", "rich.fbs")
    #expect(refused.status == 1 && refused.error.contains("rec.rec.rec: tables are nested deeper than 64 levels"))
    let deeper = try await kvtool("set", "k", "--schema", "rich.fbs", input: Data(nested(100_000).utf8))
    #expect(deeper.status == 1 && deeper.error.contains("nested deeper than 512 levels"))
  }

  @Test("Each error of a schema is printed on a line of its own") func schemaErrorsAreLinesOfTheirOwn() async throws {
    try folder.write("table T {\n  a:in;\n  b:string\n}\nroot_type U;\n", to: "bad.fbs")
    for command in [["get", "k"], ["set", "k", "{}"], ["subscribe", "k"]] {
      let outcome = try await kvtool.run(command + ["--schema", "bad.fbs"])
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      let lines = outcome.error.split(separator: "\n")
      #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("bad.fbs:") && $0.contains(": error: ") }, "\(lines)")
    }
    let missing = try await kvtool("get", "k", "--schema", "missing.fbs")
    #expect(missing.status == 1 && missing.error.contains("missing.fbs"))
    #expect(missing.error.filter(\.isNewline).count == 1)
  }

  @Test("A wrong use of the schema options gives status 64 and one line") func usageErrors() async throws {
    try folder.write("table T { a:int; } enum E : byte { A }", to: "rootless.fbs")
    try folder.write("namespace A; table T {} namespace B; struct T { x:int; }", to: "twice.fbs")
    for (arguments, message) in [
      (["get", "k", "--root", "T"], "--schema"), (["set", "k", "{}", "-I", "x"], "--schema"),
      (["get", "k", "--schema", "rootless.fbs"], "--root"),
      (["get", "k", "--schema", "rootless.fbs", "--root", "E"], "rootless.fbs has no table or struct \"E\": use T"),
      (["get", "k", "--schema", "twice.fbs", "--root", "T"], "use A.T, B.T"),
      (["get", "k", "--schema", "rootless.fbs", "--root", "T", "--format", "hex"], "--format hex"),
      (["set", "k", "{}", "--schema", "rootless.fbs", "--root", "T", "--int"], "--type int"),
    ] {
      let outcome = try await kvtool.run(arguments)
      #expect(outcome.status == 64, "\(arguments)")
      #expect(outcome.error.contains(message), "\(outcome.error)")
      #expect(outcome.error.filter(\.isNewline).count == 1)
    }
  }

  @Test("Damaged bytes give a value or an error that names the type, never a crash")
  func bytesThatAreNoSuchValue() async throws {
    try await kvtool("set", "k", #"{"title":"a","author":{"name":"Me"}}"#, "--schema", "post.fbs")
    let (bytes, version) = try await folder.stored("k")
    // Every third byte, altered in turn, gives an error that says so or a value, and never a crash.
    for position in stride(from: 0, to: bytes.count, by: 3) {
      var damaged = bytes
      damaged[position] ^= 0xFF
      try await folder.store(damaged, version: version, key: "k")
      let outcome = try await kvtool("get", "k", "--schema", "post.fbs")
      #expect(outcome.status == 0 || outcome.status == 1)
      #expect(
        outcome.status == 0 || outcome.error.hasPrefix("kvtool: key \"k\": its bytes are not a valid Blog.Post: "))
    }
    try await folder.store(Data(), version: version, key: "k")
    let empty = try await kvtool("get", "k", "--schema", "post.fbs")
    #expect(empty.status == 1 && empty.error.contains("its bytes are not a valid Blog.Post: "))
    try await kvtool("set", "k", #"{"req":"zzz"}"#, "--schema", "rich.fbs")
    let noText = Data(try await folder.stored("k").bytes.map { $0 == UInt8(ascii: "z") ? 0xFF : $0 })
    try await folder.store(noText, version: "1.1", key: "k")
    let damaged = try await kvtool("get", "k", "--schema", "rich.fbs")
    #expect(damaged.status == 1 && damaged.error.contains("A.B.T.req at byte "), "\(damaged.error)")
    #expect(try await kvtool("check").output == "ok\n")
  }

  @Test("A value that is not a FlatBuffer is refused with --schema") func otherValuesHaveNoSchema() async throws {
    try await kvtool("set", "n", "5", "--int")
    let refused = try await kvtool("get", "n", "--schema", "post.fbs")
    #expect(refused.status == 1 && refused.output.isEmpty)
    #expect(refused.error == "kvtool: key \"n\": its type is int, not flatbuffers: leave out --schema\n")
    #expect(try await kvtool("get", "absent", "--schema", "post.fbs", "--default", "x").output == "x\n")
    #expect(try await kvtool("get", "absent", "--schema", "post.fbs").status == 2)
  }

  @Test("The txn command takes and compares versions only with FlatBuffers values")
  func versionsAreForFlatBuffers() async throws {
    for line in [
      #"{"op":"set","key":"k","value":1,"version":"1"}"#,
      #"{"op":"set","key":"k","type":"int","value":1,"version":"1"}"#,
      #"{"op":"set","key":"k","type":"flatbuffers","value":"AA==","version":1}"#,
    ] {
      let outcome = try await kvtool("txn", input: Data(line.utf8))
      #expect(outcome.status == 1, "\(line)")
      #expect(outcome.error.contains("\\\"version\\\"") || outcome.error.contains("\"version\""), "\(outcome.error)")
    }
    let lines = """
      {"op":"set","key":"k","type":"flatbuffers","value":"AA==","version":"1"}
      {"op":"expect","key":"k","type":"flatbuffers","value":"AA==","version":"1"}
      """
    #expect(try await kvtool("txn", input: Data(lines.utf8)).status == 0)
    let other = #"{"op":"expect","key":"k","type":"flatbuffers","value":"AA==","version":"2"}"#
    #expect(try await kvtool("txn", input: Data(other.utf8)).status == 3)
  }

  @Test("The option --flatbuffers-limit refuses values that take more memory, written or read")
  func limitsMemory() async throws {
    let tags = Array(repeating: "\"\(String(repeating: "y", count: 100))\"", count: 100).joined(separator: ",")
    let post = "{\"title\":\"t\",\"tags\":[\(tags)]}"
    let refused = try await kvtool("set", "k", post, "--schema", "post.fbs", "--flatbuffers-limit", "5000")
    #expect(refused.status == 1)
    #expect(refused.error.contains("too much memory"), "\(refused.error)")
    #expect(try await kvtool("set", "k", post, "--schema", "post.fbs").status == 0)
    let unread = try await kvtool("get", "k", "--schema", "post.fbs", "--flatbuffers-limit", "5000")
    #expect(unread.status != 0)
    #expect(unread.error.contains("too much memory"), "\(unread.error)")
    #expect(try await kvtool("get", "k", "--schema", "post.fbs", "--flatbuffers-limit", "500000").status == 0)
    #expect(try await kvtool("get", "k", "--flatbuffers-limit", "5000").status == 64)
  }
}
