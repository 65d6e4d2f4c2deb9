import DflatBuffers
import DflatCore
import Foundation
import Testing

/// Compares how this package, flatc and PyPI's package read and write one type of a schema, in all directions.
struct Comparison<Value: FlatBuffersCodable & Hashable & Sendable> {
  /// The path of the schema. For flatc, `flatcSchema` is the same path or that of a copy.
  let schema: String
  let flatcSchema: String
  let root: String
  let identifier: String?
  let hasVectorsOfUnions: Bool

  /// - Parameters:
  ///   - schema: The file's name, without `.fbs`.
  ///   - root: The type as the schema names it.
  ///   - hasVectorsOfUnions: True if the type contains vectors of unions. flatc 2.0.8 prints them as JSON, but refuses
  ///     their schema when it is asked for JSON. It accepts the schema's binary form, which must not have attributes of
  ///     our own.
  ///   - stock: The folder in which flatc finds the schema, if it needs another one.
  init(
    _ type: Value.Type, schema: String, root: String, identifier: String? = nil, hasVectorsOfUnions: Bool = false,
    folder: String = Tool.schemas, stock: String? = nil
  ) {
    self.schema = "\(folder)/\(schema).fbs"
    self.flatcSchema = "\(stock ?? folder)/\(schema).fbs"
    self.root = root
    self.identifier = identifier
    self.hasVectorsOfUnions = hasVectorsOfUnions
  }

  /// Converts each sample in both directions, and compares the results:
  ///
  ///     value ─ ours ─▶ bytes ─ flatc ─▶ JSON         equals flatc's JSON of its own bytes
  ///     JSON ─ flatc ─▶ bytes ─ ours ─▶ value         equals the value, and the bytes equal ours
  ///     bytes, ours and flatc's ─ Python ─▶ value     equals that of the JSON
  ///     JSON ─ Python ─▶ bytes ─ ours ─▶ value        equals the value
  ///
  /// - Parameter isAlike: Returns true if two values mean the same, for types whose equality is stricter than that.
  func check(
    _ samples: [Sample<Value>], isAlike: (Value, Value) throws -> Bool = { $0 == $1 },
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let work = try Work(samples.map(\.name))
    for sample in samples {
      try Data(sample.json.utf8).write(to: work.file(.json, sample.name))
      try sample.value.toData().write(to: work.file(.ours, sample.name))
    }
    try await flatcWrites(work)
    try await flatcReads(work, [(.ours, .ourJSON), (.flatc, .flatcJSON)], options: ["--defaults-json"])
    try await Python.run(schema: schema, work: work, root: root, identifier: identifier, at: location)
    if identifier != nil { try await Flatc.expectSound(work, schema: flatcSchema, at: location) }
    for sample in samples { try compare(sample, work, isAlike, location) }
  }

  private func compare(
    _ sample: Sample<Value>, _ work: Work, _ isAlike: (Value, Value) throws -> Bool, _ location: SourceLocation
  ) throws {
    let ours = try Data(contentsOf: work.file(.ours, sample.name))
    let theirs = try Data(contentsOf: work.file(.flatc, sample.name))
    for source in [Work.Place.ours, .flatc, .python] {
      let bytes = try Data(contentsOf: work.file(source, sample.name))
      let value = try Value(data: bytes)
      // Equal bytes suffice, because NaN is not equal to itself.
      #expect(
        try isAlike(value, sample.value) || value.toData() == ours,
        "\(sample.name): the bytes of \(source) are decoded to another value",
        sourceLocation: location)
    }
    let ourJSON = try String(contentsOf: work.file(.ourJSON, sample.name), encoding: .utf8)
    let theirJSON = try String(contentsOf: work.file(.flatcJSON, sample.name), encoding: .utf8)
    switch sample.bytes {
    case .equal:
      #expect(ourJSON == theirJSON, "\(sample.name)", sourceLocation: location)
      #expect(ours == theirs, "\(sample.name): \(difference(ours, theirs))", sourceLocation: location)
    case .padded:
      #expect(ourJSON == theirJSON, "\(sample.name)", sourceLocation: location)
    case .formed(let reason):
      #expect(ours != theirs, "\(sample.name): the bytes are equal, although \(reason)", sourceLocation: location)
    }
  }

  private func difference(_ ours: Data, _ theirs: Data) -> String {
    let position = zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return """
      our buffer has \(ours.count) bytes, flatc's \(theirs.count), and they first differ at \(position ?? -1)
      ours:  \(ours.prefix(400).map { String(format: "%02x", $0) }.joined())
      flatc: \(theirs.prefix(400).map { String(format: "%02x", $0) }.joined())
      """
  }

  // MARK: - flatc

  /// Returns the JSON that flatc prints for our bytes.
  func json(of values: [Value]) async throws -> [String] {
    let work = try Work(values.indices.map { "value\($0)" })
    for (value, name) in zip(values, work.names) { try value.toData().write(to: work.file(.ours, name)) }
    try await flatcReads(work, [(.ours, .ourJSON)], options: [])
    return try work.names.map { try String(contentsOf: work.file(.ourJSON, $0), encoding: .utf8) }
  }

  private func flatcWrites(_ work: Work) async throws {
    let arguments = [
      "--binary", "--root-type", root, "-I", Flatc.folder(of: flatcSchema), "-o", work.folder(.flatc), flatcSchema,
    ]
    try await Flatc.run(arguments + work.names.map { work.file(.json, $0).path })
  }

  private func flatcReads(_ work: Work, _ places: [(Work.Place, Work.Place)], options: [String]) async throws {
    let readable =
      hasVectorsOfUnions ? try await Flatc.binarySchema(of: flatcSchema, in: work.directory) : flatcSchema
    for (bytes, json) in places {
      let arguments = ["--json", "--strict-json", "--root-type", root, "-I", Flatc.folder(of: flatcSchema)] + options
      // Without an identifier, flatc requires the option that confirms that the bytes belong to this schema.
      let assurance = identifier == nil ? ["--raw-binary"] : []
      let files = ["-o", work.folder(json), readable, "--"] + work.names.map { work.file(bytes, $0).path }
      try await Flatc.run(arguments + assurance + files)
    }
  }
}
