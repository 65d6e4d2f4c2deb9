import DflatBuffers
public import DflatCore

/// The types that the dictionary stores as FlatBuffers: those that `dflatc` generates, and others like them.
///
/// Values must be immutable, or behave so: the thread that commits a plain write encodes its value. An encoder
/// (`to(flatBufferBuilder:)`) must not wait for another thread that uses the workspace; its own calls that would wait
/// throw `.wouldDeadlock`.
public typealias DictionaryFlatBuffersCodable = FlatBuffersCodable & Equatable & Sendable

/// The coding of FlatBuffers, which stores their schema version. Code can test at run time whether a type has this
/// coding.
enum FlatBuffersCoding<Value: Equatable & Sendable>: Sendable {
  /// This coding, if a type that is only known to be `Codable` is also a FlatBuffers type; otherwise nil.
  static var whereConforming: (any ValueCoding<Value>.Type)? {
    // Test the type first: it is cheap, and usually the answer is no.
    Value.self is any FlatBuffersCodable.Type ? Self.self as? any ValueCoding<Value>.Type : nil
  }
}

extension FlatBuffersCoding: ValueCoding where Value: FlatBuffersCodable {
  static func wrap(_ value: Value) -> CachedValue {
    .deferred(FlatBuffersValue(value))
  }

  static func decode(_ value: CachedValue, in context: @autoclosure () -> DecodingContext) throws -> Value? {
    switch value {
    case .absent: return nil
    case .deferred(let deferred):
      if let known = deferred.value(as: Value.self) { return known }
      return try decode(try value.encoded(), in: context())
    case .boxed(let box):
      guard case .flatBuffers(let bytes, let version) = box.content else {
        throw WorkspaceError.typeMismatch(value, Value.self)
      }
      if let known = box.decodedValue(as: Value.self) { return known }
      let decoded = try decode(bytes, version, in: context())
      box.remember(decoded)
      return decoded
    case .bool, .int, .uint, .float, .double: throw WorkspaceError.typeMismatch(value, Value.self)
    }
  }

  private static func decode(
    _ bytes: ByteBuffer, _ version: String?, in context: DecodingContext
  ) throws -> Value {
    guard version == Value.flatBuffersSchemaVersion else {
      throw WorkspaceError(
        .schemaVersionMismatch,
        "The stored value has \(name(version)), but \(Value.self) has \(name(Value.flatBuffersSchemaVersion)); "
          + "read it with the program that wrote it, or as the type of that version.")
    }
    try context.requireCompatibility(of: Value.self)
    do {
      return try bytes.withBytes { bytes throws(FlatBufferError) in
        try Value.from(verifying: bytes, limits: context.limits)
      }
    } catch {
      throw WorkspaceError(
        .undecodable, "The stored FlatBuffer can't be read as \(Value.self): \(error).", underlying: error)
    }
  }

  private static func name(_ version: String?) -> String {
    version.map { "schema version '\($0)'" } ?? "no schema version"
  }

  /// Throws: fields that a FlatBuffer lacks have the defaults of its schema.
  static func decode(
    _ value: CachedValue, completedBy defaultValue: Value, after failure: any Error, in context: DecodingContext
  ) throws -> Value {
    throw failure
  }

  static func isSame(_ a: Value, _ b: Value) -> Bool { a == b }

  static func isNil(_ value: Value) -> Bool { false }
}

/// A value that is encoded at most once, when its bytes are first needed. Two threads that need them at the same time
/// may both encode it, to the same bytes.
private final class FlatBuffersValue<T: DictionaryFlatBuffersCodable>: TypedValue<T>, @unchecked Sendable {
  private let bytes = OnceReference<EncodedBytes>()

  override var schema: DeclaredSchema? { DeclaredSchema.ofValues(of: T.self) }

  override func encoded() throws -> ValueBox.Content {
    let encoded = bytes.load() ?? bytes.storeIfNil(EncodedBytes(value))
    return .flatBuffers(try encoded.outcome.get(), schemaVersion: T.flatBuffersSchemaVersion)
  }
}

private final class EncodedBytes: Sendable {
  let outcome: Result<ByteBuffer, WorkspaceError>

  init(_ value: some FlatBuffersCodable) {
    outcome = Result {
      try SpareBuilder.with { builder throws(FlatBufferError) in
        try value.encode(in: &builder)
        return builder.withFinishedBytes { ByteBuffer(copying: $0) }
      }
    }.mapError { .unencodable($0) }
  }
}
