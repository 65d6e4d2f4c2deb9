import DflatBuffers
import DflatEntities
import DflatKV
import DflatSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A table or struct of a schema, as the type of a FlatBuffers value.
struct SchemaType: Sendable {
  enum Root {
    case table(Int)
    case structure(Int)
  }

  let schema: Schema
  let layouts: SchemaLayouts
  let root: Root
  private let verifier: FlatBufferVerifier

  init(_ root: Root, in schema: Schema, limits: FlatBufferLimits = FlatBufferLimits()) {
    self.root = root
    verifier = FlatBufferVerifier(limits: limits)
    self.schema = schema
    layouts = SchemaLayouts(schema)
  }

  var name: QualifiedName {
    switch root {
    case .table(let index): schema.tables[index].name
    case .structure(let index): schema.structs[index].name
    }
  }

  /// The type's attribute `v`, which is stored with each value.
  var version: String? {
    switch root {
    case .table(let index): schema.tables[index].version
    case .structure(let index): schema.structs[index].version
    }
  }

  /// Returns the value as JSON.
  ///
  /// - Throws: ``ValueFailure`` if the value has another type or version, or if its bytes are invalid.
  func json(_ value: StoredValue) throws(ValueFailure) -> JSONValue {
    if case .sealed = value { throw .sealed }
    guard case .flatBuffers(let data, let storedVersion) = value else {
      throw ValueFailure("its type is \(value.kind.rawValue), not flatbuffers: leave out --schema")
    }
    guard storedVersion == version else {
      throw ValueFailure(
        "it was stored with \(Self.text(storedVersion)), but \(name) has \(Self.text(version)): "
          + "use the schema of that version")
    }
    do {
      return try data.withUnsafeBytes { bytes in try json(bytes) }
    } catch {
      throw ValueFailure("its bytes are not a valid \(name): \(error)")
    }
  }

  /// Returns the value in these bytes as JSON.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - writesDefaults: True to write also the absent scalars and strings that have a default.
  ///   - keepsNestedBuffers: True to write nested buffers as their bytes, which keeps them as they are.
  /// - Throws: `FlatBufferError` if the bytes are no value of this type.
  func json(
    _ bytes: UnsafeRawBufferPointer, writingDefaults writesDefaults: Bool = false,
    keepingNestedBuffers keepsNestedBuffers: Bool = false
  ) throws(FlatBufferError) -> JSONValue {
    let writer = FlatBufferToJSONConverter(
      schema: schema, layouts: layouts, writesDefaults: writesDefaults, keepsNestedBuffers: keepsNestedBuffers)
    return switch root {
    case .table(let index):
      try writer.json(verifier.verify(root: layouts.table(index), in: bytes), index)
    case .structure(let index):
      try writer.json(verifier.verify(root: layouts.structs[index], in: bytes), index)
    }
  }

  private static func text(_ version: String?) -> String {
    version.map { "version \(quoted($0))" } ?? "no version"
  }

  /// Parses JSON text as a value of this type.
  func value(_ text: ValueText) throws(ValueFailure) -> StoredValue {
    let json: JSONValue
    do {
      json = try JSONParser.parse(text.bytes, dialect: .flatc)
    } catch {
      throw ValueFailure("the value is not JSON, line \(error.line): \(error.message)")
    }
    do {
      return .flatBuffers(Data(try verifiedBytes(json)), schemaVersion: version)
    } catch {
      throw ValueFailure(error.message, isOfUnknownField: error.isOfUnknownField)
    }
  }

  /// Returns JSON as the verified bytes of a value of this type.
  ///
  /// - Parameters:
  ///   - json: The JSON.
  ///   - sortsVectors: Returns true for the root's fields whose vectors are sorted by the elements' keys.
  func verifiedBytes(
    _ json: JSONValue, sortingVectorsOf sortsVectors: @escaping (String) -> Bool = { _ in true }
  ) throws(FlatBufferJSONFailure) -> [UInt8] {
    let bytes = try self.bytes(json, sortsVectors)
    do {
      // The builder's limits don't include the content of nested buffers.
      try bytes.withUnsafeBytes { bytes in try verify(bytes) }
    } catch {
      throw FlatBufferJSONFailure("the value cannot be stored: \(error)")
    }
    return bytes
  }

  private func verify(_ bytes: UnsafeRawBufferPointer) throws(FlatBufferError) {
    switch root {
    case .table(let index): _ = try verifier.verify(root: layouts.table(index), in: bytes)
    case .structure(let index): _ = try verifier.verify(root: layouts.structs[index], in: bytes)
    }
  }

  private func bytes(
    _ json: JSONValue, _ sortsVectors: @escaping (String) -> Bool
  ) throws(FlatBufferJSONFailure) -> [UInt8] {
    var reader = JSONToFlatBufferConverter(schema, sortingVectorsOf: sortsVectors)
    switch root {
    case .table(let index):
      let offset = try reader.table(json, index)
      return try reader.finish(offset, identifier: schema.tables[index].identifier(in: schema))
    case .structure(let index):
      let offset = try reader.createStruct(json, index)
      return try reader.finish(offset, identifier: nil)
    }
  }
}

extension StoredValue {
  /// Returns a FlatBuffers value as JSON by the schema. Returns nil for other values, and without a schema.
  func json(_ schema: SchemaType?) throws(ValueFailure) -> JSONValue? {
    guard case .flatBuffers = self, let schema else {
      return nil
    }
    return try schema.json(self)
  }
}
