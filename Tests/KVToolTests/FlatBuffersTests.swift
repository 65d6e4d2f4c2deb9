import Foundation
import Testing

@testable import kvtool

/// Commands that read and print FlatBuffers values with a schema.
@Suite(.timeLimit(.minutes(15))) struct FlatBuffersTests {
  let folder: FlatBuffersFolder
  let kvtool: KVToolRunner

  init() throws {
    folder = try FlatBuffersFolder()
    kvtool = folder.kvtool
    try folder.write(FlatBuffersFixtures.rich, to: "rich.fbs")
    try folder.write(FlatBuffersFixtures.unions, to: "unions.fbs")
    try folder.write(FlatBuffersFixtures.plain, to: "plain.fbs")
    try folder.write(FlatBuffersFixtures.post, to: "post.fbs")
    try folder.write(FlatBuffersFixtures.priority, to: "priority.fbs")
  }

  @Test("The set command stores the bytes that flatc writes", arguments: FlatBuffersSample.all)
  func writesTheBytesOfFlatc(sample: FlatBuffersSample) async throws {
    let outcome = try await kvtool("set", "k", "--schema", sample.schema, input: Data(sample.json.utf8))
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(try await folder.stored("k").bytes == folder.flatcBytes(sample.json, schema: sample.schema))
  }

  @Test("The get command prints the JSON of flatc, in the order of the schema")
  func printsTheJSONOfFlatc() async throws {
    let bytes = try folder.flatcBytes(FlatBuffersFixtures.richValue, schema: "rich.fbs")
    try await folder.store(bytes, version: "1.1", key: "k")
    let outcome = try await kvtool("get", "k", "--schema", "rich.fbs")
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.lines.count == 1)
    #expect(try folder.json(outcome.output) == folder.flatcJSON(bytes, schema: "rich.fbs"))
    // Fields are in the order of the schema.
    #expect(outcome.output.hasPrefix(#"{"b":true,"i8":-1,"i16":-300,"u16":65535,"u32":4294967295,"#))
    #expect(outcome.output.contains(#""vf":[1.5,"inf",0.1],"vd":["nan","-inf",0.1],"vc":["Red","Green",77],"#))
  }

  /// Printed JSON can be set again and is printed the same. The bytes may differ, because the elements of sorted
  /// vectors were written in another order.
  @Test("A printed FlatBuffers value can be set again and is printed the same", arguments: FlatBuffersSample.all)
  func roundTrips(sample: FlatBuffersSample) async throws {
    try await kvtool("set", "k", sample.json, "--schema", sample.schema)
    let printed = try await kvtool("get", "k", "--schema", sample.schema)
    #expect(printed.status == 0, "\(printed.error)")
    #expect(try await kvtool("set", "copy", "--schema", sample.schema, input: printed.bytes).status == 0)
    #expect(try await folder.stored("copy").version == folder.stored("k").version)
    #expect(try await kvtool("get", "copy", "--schema", sample.schema).bytes == printed.bytes)
  }

  @Test("The set command takes the JSON that flatc prints") func takesWhatFlatcPrints() async throws {
    let bytes = try folder.flatcBytes(FlatBuffersFixtures.richValue, schema: "rich.fbs")
    _ = try folder.flatcJSON(bytes, schema: "rich.fbs")
    let file = kvtool.folder.appendingPathComponent("flatc/stored.json")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let outcome = try await kvtool("set", "k", "--schema", "rich.fbs", input: Data(text.utf8))
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(try await folder.stored("k").bytes == folder.flatcBytes(text, schema: "rich.fbs"))
  }

  /// flatc calls the members `X_P_Q` and `P_Q`.
  @Test("The name of a union's member in flatc's JSON comes before that of another member's type")
  func namesOfMembersInJSON() async throws {
    let types = "namespace X; table P_Q { a: int; } namespace P; table Q { b: int; } namespace;"
    try folder.write("\(types) union U { X.P_Q, P.Q } table T { u: U; } root_type T;", to: "names.fbs")
    for json in [#"{"u_type":"P_Q","u":{"b":3}}"#, #"{"u_type":"X_P_Q","u":{"a":3}}"#] {
      let outcome = try await kvtool("set", "k", json, "--schema", "names.fbs")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(try await folder.stored("k").bytes == folder.flatcBytes(json, schema: "names.fbs"))
      #expect(try await kvtool("get", "k", "--schema", "names.fbs").output == json + "\n")
    }
  }

  @Test("A nested buffer that is printed and set again has no file identifier, as flatc writes it")
  func identifiersOfNestedBuffers() async throws {
    try folder.write(
      """
      table Order { number: int; previous: [ubyte] (nested_flatbuffer: "Order"); }
      root_type Order;
      file_identifier "ORDR";
      """, to: "orders.fbs")
    let identifiers = { (bytes: Data) in
      String(decoding: bytes, as: UTF8.self).components(separatedBy: "ORDR").count - 1
    }
    let previous = try folder.flatcBytes(#"{"number":1}"#, schema: "orders.fbs")
    let json = #"{"number":2,"previous":[\#(previous.map { String($0) }.joined(separator: ","))]}"#
    #expect(try await kvtool("set", "k", json, "--schema", "orders.fbs").status == 0)
    #expect(try await identifiers(folder.stored("k").bytes) == 2)
    let printed = try await kvtool("get", "k", "--schema", "orders.fbs").output
    #expect(printed == #"{"number":2,"previous":{"number":1}}"# + "\n")
    #expect(try await kvtool("set", "copy", printed, "--schema", "orders.fbs").status == 0)
    let copy = try await folder.stored("copy").bytes
    #expect(try copy == folder.flatcBytes(printed, schema: "orders.fbs") && identifiers(copy) == 1)
    #expect(try await kvtool("get", "copy", "--schema", "orders.fbs").output == printed)
  }

  @Test("The set command stores the schema's version, and get refuses another version")
  func storesTheVersion() async throws {
    try await kvtool("set", "draft", #"{"title": "Hello", "priority": "High"}"#, "--schema", "post.fbs")
    #expect(try await folder.stored("draft").version == "2.0")
    let (bytes, _) = try await folder.stored("draft")
    #expect(try await kvtool("get", "draft").output == "flatbuffers version 2.0 \(bytes.count) bytes\n")
    #expect(try await kvtool("type", "draft").output == "flatbuffers\n")
    let row = try await kvtool("keys", "--long").lines[0].split(separator: " ").map(String.init)
    #expect(row == ["flatbuffers", "\(bytes.count)", "1", "draft"])
    #expect(try await kvtool("check").output == "ok\n")
    let json = try await kvtool("get", "draft", "--schema", "post.fbs")
    #expect(json.output == #"{"title":"Hello","priority":"High"}"# + "\n")

    try folder.write(FlatBuffersFixtures.post.replacingOccurrences(of: "\"2.0\"", with: "\"3.0\""), to: "newer.fbs")
    let refused = try await kvtool("get", "draft", "--schema", "newer.fbs")
    #expect(refused.status == 1 && refused.output.isEmpty)
    #expect(
      refused.error == """
        kvtool: key "draft": it was stored with version "2.0", but Blog.Post has version "3.0": use the schema of that \
        version

        """)
    try await kvtool("set", "author", #"{"name": "Me"}"#, "--schema", "post.fbs", "--root", "Author")
    #expect(try await folder.stored("author").version == nil)
    #expect(try await kvtool("get", "author").output.hasPrefix("flatbuffers version none "))
  }

  @Test("The option --root names a table with or without its namespace", arguments: ["Author", "Blog.Author"])
  func namesTheRoot(root: String) async throws {
    let json = #"{"name":"Me"}"#
    try await kvtool("set", "k", json, "--schema", "post.fbs", "--root", root)
    #expect(try await kvtool("get", "k", "--schema", "post.fbs", "--root", root).output == json + "\n")
    #expect(try await folder.stored("k").bytes == folder.flatcBytes(json, schema: "post.fbs", root: "Blog.Author"))
  }

  @Test("A struct may be the root") func aFixedStructMayBeTheRoot() async throws {
    let json = #"{"x":-1,"y":2}"#
    #expect(try await kvtool("set", "k", json, "--schema", "post.fbs", "--root", "Place").status == 0)
    #expect(try await kvtool("get", "k", "--schema", "post.fbs", "--root", "Place").output == json + "\n")
    #expect(try await folder.stored("k").bytes == Data([4, 0, 0, 0, 0xFF, 0xFF, 2, 0]))
  }

  @Test("The option -I names a folder of included schemas") func findsIncludesInFolders() async throws {
    try folder.write(
      FlatBuffersFixtures.post.replacingOccurrences(of: "priority.fbs", with: "other.fbs"), to: "far.fbs")
    try folder.write(FlatBuffersFixtures.priority, to: "schemas/other.fbs")
    let value = #"{"title":"t"}"#
    let missing = try await kvtool("set", "k", value, "--schema", "far.fbs")
    #expect(missing.status == 1 && missing.error.hasPrefix("far.fbs:1:"))
    #expect(try await kvtool("set", "k", value, "--schema", "far.fbs", "-I", "schemas").status == 0)
    #expect(try await kvtool("get", "k", "--schema", "far.fbs", "-Ischemas").output == value + "\n")
  }

  @Test("A FlatBuffers value is not replaced without a schema or a type")
  func anExistingValueNeedsItsSchema() async throws {
    try await kvtool("set", "k", #"{"title":"a"}"#, "--schema", "post.fbs")
    let refused = try await kvtool("set", "k", #"{"title":"b"}"#)
    #expect(refused.status == 1 && refused.error.contains("--schema") && refused.error.contains("\"k\""))
    let operation = #"{"op":"set","key":"k","value":"b"}"#
    let untyped = try await kvtool("txn", input: Data(operation.utf8))
    #expect(untyped.status == 1 && untyped.error.contains("--schema"))
    #expect(try await kvtool("get", "k", "--schema", "post.fbs").output == "{\"title\":\"a\"}\n")
    #expect(try await kvtool("set", "k", "text", "--string").status == 0)
    #expect(try await kvtool("get", "k").output == "text\n")
  }

  @Test("The option --if-value compares FlatBuffers values, not their JSON texts")
  func conditionsCompareValues() async throws {
    let schema = ["--schema", "post.fbs"]
    let set = { value in try await kvtool.run(["set", "k", value, "--if-value", #"{"stars":0,"title":"a"}"#] + schema) }
    try await kvtool.run(["set", "k", #"{"title":"a"}"#] + schema)
    #expect(try await set(#"{"title":"b","stars":5}"#).status == 0)
    #expect(try await set(#"{"title":"c"}"#).status == 3)
    #expect(try await kvtool.run(["set", "k", "{}", "--if-value", "nonsense"] + schema).status == 1)
    #expect(try await kvtool.run(["set", "k", #"{"title":"d"}"#, "--if-value", "nonsense"] + schema).status == 3)
    #expect(try await kvtool.run(["get", "k"] + schema).output == "{\"title\":\"b\",\"stars\":5}\n")
  }

  /// "é" as one Unicode scalar is not "é" as two: a text is stored and compared by its bytes.
  @Test(
    "The option --if-value compares texts by their bytes", arguments: [["--schema", "post.fbs"], ["--type", "json"]])
  func conditionsCompareTextByItsBytes(options: [String]) async throws {
    try await kvtool.run(["set", "k", #"{"title":"\u00e9"}"#] + options)
    let set = { old in try await kvtool.run(["set", "k", #"{"title":"b"}"#, "--if-value", old] + options).status }
    #expect(try await set(#"{"title":"e\u0301"}"#) == 3)
    #expect(try await set(#"{"title":"é"}"#) == 0)
  }

  @Test("The option --path prints a part of a FlatBuffers value, and asks for its schema")
  func partsOfValues() async throws {
    try await kvtool("set", "k", #"{"title":"a"}"#, "--schema", "post.fbs")
    #expect(try await kvtool("get", "k", "--path", "title", "--schema", "post.fbs").output == "a\n")
    #expect(try await kvtool("get", "k", "--path", "none", "--schema", "post.fbs").status == 2)
    let refused = try await kvtool("get", "k", "--path", "title")
    #expect(refused.status == 1 && refused.output.isEmpty && refused.error.contains("--schema"), "\(refused.error)")
  }

  @Test("An export and its import keep the bytes and version of a FlatBuffers value")
  func exportsAndImportsBytesAndVersion() async throws {
    try await kvtool("set", "k", #"{"title":"a"}"#, "--schema", "post.fbs")
    for format in ["json", "plist"] {
      let document = try await kvtool("export", "--format", format)
      let copy = kvtool.folder.appendingPathComponent("\(format).db").path
      #expect(try await kvtool("import", "-", "--db", copy, input: document.bytes).status == 0)
      #expect(try await kvtool("export", "--format", format, "--db", copy).bytes == document.bytes)
      #expect(try await kvtool("get", "k", "--schema", "post.fbs", "--db", copy).output == "{\"title\":\"a\"}\n")
    }
  }

  @Test("Records and events show FlatBuffers values as JSON") func recordsAndEventsAreJSON() async throws {
    try await kvtool("set", "k", #"{"title":"a"}"#, "--schema", "post.fbs")
    let record = try await kvtool("get", "k", "--schema", "post.fbs", "--format", "ndjson")
    #expect(
      record.output == """
        {"commit":1,"key":"k","namespace":"","type":"flatbuffers","value":{"title":"a"},"version":"2.0"}

        """)
    let (bytes, _) = try await folder.stored("k")
    let plain = try await kvtool("get", "k", "--format", "ndjson")
    #expect(plain.output.contains("\"value\":\"\(bytes.base64EncodedString())\",\"version\":\"2.0\""))

    let subscriber = try kvtool.start(
      "subscribe", "k", "--all", "--schema", "post.fbs", "--exec", "echo \"exec $KVTOOL_VALUE\"")
    #expect(await subscriber.next(2) == [#"k = {"title":"a"}"#, #"exec {"title":"a"}"#])
    try await kvtool("set", "k", #"{"title":"b","score":0.1}"#, "--schema", "post.fbs")
    #expect(await subscriber.next(2) == [#"k = {"title":"b","score":0.1}"#, #"exec {"title":"b","score":0.1}"#])
    // A value of another table has no line and ends nothing. A value that is no FlatBuffer is printed as it is.
    try await kvtool("set", "k", #"{"req":""}"#, "--schema", "rich.fbs")
    try await kvtool("set", "n", "5", "--int")
    #expect(await subscriber.next(2) == ["n = 5", "exec 5"])
    subscriber.interrupt()
    #expect(await subscriber.status() == 0)
  }
}
