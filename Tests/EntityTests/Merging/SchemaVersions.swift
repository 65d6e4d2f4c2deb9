import DflatBuffers
import DflatKV
import DflatSchema
import Foundation
import Testing

@testable import DflatEntities
@testable import kvtool

/// Two schemas of one type, of an older and a newer program, and their objects as JSON.
struct SchemaVersions {
  let older: Version
  let newer: Version
  let fields: UnknownFields

  /// Creates the versions from their schemas, whose last type is the root.
  init(_ older: String, _ newer: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
    let (old, new) = (try SchemaText.schema(of: older), try SchemaText.schema(of: newer))
    let problems = SchemaEvolution.problems(from: old, to: new)
    #expect(problems == [], sourceLocation: sourceLocation)
    self.older = try Version(old)
    self.newer = try Version(new)
    fields = try #require(UnknownFields(unknownTo: old, in: new), sourceLocation: sourceLocation)
  }

  /// One of the schemas.
  struct Version {
    let root: Int
    private let type: SchemaType

    init(_ schema: Schema) throws {
      root = try #require(schema.files.last?.rootTable)
      type = SchemaType(.table(root), in: schema)
    }

    /// Returns the bytes of an object.
    func bytes(_ json: String) throws -> [UInt8] {
      guard case .flatBuffers(let data, _) = try type.value(ValueText(json)) else { return [] }
      return [UInt8](data)
    }

    /// Verifies an object, and returns it as JSON in the order of the schema.
    func json(_ bytes: [UInt8]) throws -> String {
      JSONWriter.string(try type.json(.flatBuffers(Data(bytes), schemaVersion: nil)))
    }

    /// Returns JSON as `json(_:)` prints it.
    func normalized(_ json: String) throws -> String { try self.json(bytes(json)) }
  }

  /// Returns the object that is stored after the older program has written `written` over `stored`, and checks that the
  /// program reads what it has written.
  func merged(
    _ written: [UInt8], over stored: [UInt8], sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws -> [UInt8] {
    let bytes = try write(written, over: stored)
    #expect(try content(of: bytes) == content(of: written), sourceLocation: sourceLocation)
    return bytes
  }

  private func write(_ written: [UInt8], over stored: [UInt8]) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    try write(written, over: stored, with: &builder)
    return builder.withFinishedBytes { Array($0) }
  }

  private func write(_ written: [UInt8], over stored: [UInt8], with builder: inout FlatBufferBuilder) throws {
    try stored.withUnsafeBytes { stored in
      let stored = try fields.verified(stored)
      try written.withUnsafeBytes { written in
        try fields.write(written, over: stored, with: &builder)
      }
    }
  }

  /// Returns what the older program sees of an object.
  func content(of bytes: [UInt8]) throws -> KnownContent {
    try bytes.withUnsafeBytes { bytes in
      try fields.known.identity(of: FlatBufferTable(rootOf: bytes), older.root, key: nil)
    }
  }

  /// Expects the object that the newer program reads after the older one has written `written` over `stored`.
  func expect(
    _ written: String, over stored: String, gives expected: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let bytes = try merged(older.bytes(written), over: newer.bytes(stored), sourceLocation: sourceLocation)
    #expect(try newer.json(bytes) == newer.normalized(expected), sourceLocation: sourceLocation)
  }
}
