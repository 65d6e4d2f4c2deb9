import DflatBuffers
import Testing

@testable import DflatEntities

/// Merging at the limits of size and depth, and of damaged objects.
@Suite struct MergeLimitTests {
  @Test("A merge that exceeds the limits is refused, and the last encoded object stays as it was") func tooLarge()
    throws
  {
    let newer = ItemText.text(
      fields: ItemText.firstFields + ["blobs: [Blob]"], end: "table Blob { bytes: [ubyte]; }")
    guard case .newer(let found) = SchemaCompatibility(ofObjects: newer, to: ItemText.first) else { throw Refusal() }
    let fields = try #require(found as? UnknownFields)
    // Nearly all of the memory that the verifier allows for: 128 MiB.
    var builder = FlatBufferBuilder()
    let bytes = builder.create(vector: [UInt8](repeating: 7, count: 1 << 20))
    builder.startTable(slots: 1)
    builder.add(bytes, at: 4)
    let blob = builder.endTable()
    let blobs = builder.create(offsets: Array(repeating: blob, count: 127))
    let key = builder.create("a")
    builder.startTable(slots: 7)
    builder.add(key, at: 4)
    builder.add(blobs, at: 16)
    try builder.finish(builder.endTable())
    let stored = builder.withFinishedBytes { Array($0) }

    func keep(_ item: Item<FirstProgram>, in state: EncodingState) throws {
      try state.encode(item)
      try stored.withUnsafeBytes { try state.keep(fields, of: fields.verified($0)) }
    }
    let state = EncodingState()
    let large = Item<FirstProgram>("a") { $0.old = String(repeating: "o", count: 2 << 20) }
    let error = #expect(throws: FlatBufferError.self) { try keep(large, in: state) }
    #expect(error?.code == .tooMuchMemory)
    let encoded = try large.encoded()
    #expect(state.hasEncoded(encoded))
    // The next one fits.
    try keep(Item<FirstProgram>("a") { $0.old = "o" }, in: state)
    let size = try state.withEncoded { $0.count }
    #expect(size > 1 << 20 && size < 2 << 20)
    try state.withEncoded { _ = try fields.verified($0) }
  }

  @Test("A small merge whose structs decode to many arrays is verified") func manyArrays() throws {
    let structs = ["struct S0 { b: [ubyte:1]; }"] + (1..<64).map { "struct S\($0) { s: [S\($0 - 1):1]; }" }
    let newer = ItemText.text(fields: ItemText.firstFields + ["list: [S63]"], end: structs.joined(separator: " "))
    guard case .newer(let found) = SchemaCompatibility(ofObjects: newer, to: ItemText.first) else { throw Refusal() }
    let fields = try #require(found as? UnknownFields)
    // Each byte is in 64 arrays. Together, they take nearly all of the memory that the verifier allows for.
    var builder = FlatBufferBuilder()
    let list = builder.create(vectorOf: 37_400, size: 1, alignment: 1) { _ in }
    let key = builder.create("a")
    builder.startTable(slots: 7)
    builder.add(key, at: 4)
    builder.add(list, at: 16)
    try builder.finish(builder.endTable())
    let stored = builder.withFinishedBytes { Array($0) }

    let state = EncodingState()
    try state.encode(Item<FirstProgram>("a") { $0.old = String(repeating: "o", count: 200_000) })
    let error = #expect(throws: FlatBufferError.self) {
      try stored.withUnsafeBytes { try state.keep(fields, of: fields.verified($0)) }
    }
    #expect(error?.code == .tooMuchMemory)
  }

  @Test("Tables are kept as deep as they may be nested") func depth() throws {
    let versions = try SchemaVersions(
      "table Node { a: int; next: Node; } root_type Node;",
      "table Node { a: int; next: Node; b: int; other: Node; } root_type Node;")
    func chain(_ depth: Int, _ field: String, _ content: String) -> String {
      depth == 1 ? "{\(content)}" : "{\(content), \"\(field)\": \(chain(depth - 1, field, content))}"
    }
    let limit = FlatBufferLimits().maximumDepth
    try versions.expect(
      chain(limit, "next", #""a": 2"#), over: chain(limit, "next", #""a": 1, "b": 3"#),
      gives: chain(limit, "next", #""a": 2, "b": 3"#))
    try versions.expect(
      #"{"a": 2}"#, over: chain(limit, "other", #""b": 3"#),
      gives: #"{"a": 2, "b": 3, "other": "# + chain(limit - 1, "other", #""b": 3"#) + "}")
  }

  @Test("Damaged bytes are refused or copied, and what is written can be read") func damage() throws {
    let trees = try SchemaVersions.trees()
    let stored = try trees.newer.bytes(
      """
      {"id": 1, "branch": {"leaf": {"a": 1, "b": "x"}, "name": "n", "extra": [1, 2]},
       "any_type": "Spot", "any": {"x": 1, "y": 2}, "leaves": [{"a": 1, "b": "one"}],
       "anys_type": ["Name", "Leaf"], "anys": ["n", {"a": 7, "b": "seven"}], "more": ["m"], "inner": {"leaf": {}}}
      """)
    let written = try trees.older.bytes(
      #"{"id": 2, "branch": {"name": "m"}, "leaves": [{"a": 1}], "anys_type": ["Leaf"], "anys": [{"a": 7}]}"#)
    var refused = 0
    for index in stored.indices {
      for bit in 0..<8 {
        var damaged = stored
        damaged[index] ^= 1 << UInt8(bit)
        do {
          let bytes = try trees.merged(written, over: damaged)
          _ = try bytes.withUnsafeBytes { try trees.fields.verified($0) }
        } catch is FlatBufferError { refused += 1 }
      }
    }
    #expect(refused > 0)
    // The object that is written first stands at the end, up to some padding.
    for count in 0..<stored.count - 16 {
      #expect(throws: FlatBufferError.self) { try trees.merged(written, over: Array(stored[..<count])) }
    }
  }
}
