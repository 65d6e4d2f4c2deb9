import DflatCore

/// Makes a key's value from one that its type can't decode, such as the value of an earlier version of the program.
///
///     extension DictionaryKeys {
///       static let look = DictionaryKey(
///         "look", default: Look(),
///         migrating: [
///           .from(FirstLook.self) { Look(theme: $0.isDark ? .dark : .light) },
///           .fromStoredValue { $0 == .string("dark") ? Look(theme: .dark) : nil },
///         ])
///     }
///
/// A read of the key first decodes the stored value as the key's type. If that fails, it tries the migrations in their
/// order, then completes missing fields from the default. The first migration that returns a value ends the read. If
/// none does, the value counts as unreadable.
///
/// A migration runs before fields are completed. So if an older type can also be decoded from newer values, because
/// their fields include its own, tell them apart by the stored value, or by a field that only the older type has.
///
/// A migration runs where a `Codable` decoder does: on the thread that reads, or that delivers to an observer, under no
/// lock, and at every read until the program writes the key. It doesn't change the file. It may use the workspace, but
/// in a transaction's closure its reads and writes are part of the transaction. It must not read its own typed key,
/// which would run the migration again, without end.
///
/// The migrations of a key without a default return its type, not an optional: nil always means that the migration
/// doesn't suit the stored value.
public struct DictionaryMigration<Value: Equatable & Sendable>: Sendable {
  /// Returns nil if the migration isn't one of this stored value.
  let run: @Sendable (_ stored: CachedValue, _ context: DecodingContext) throws -> Value?
}

extension DictionaryMigration {
  /// The migration for keys whose values are optional.
  var toOptional: DictionaryMigration<Value?> {
    DictionaryMigration<Value?> { cached, context in
      guard let value = try run(cached, context) else { return nil }
      return .some(.some(value))
    }
  }

  /// Creates a migration from another type, which is tried if the stored value can be decoded as that type.
  ///
  /// - Parameters:
  ///   - type: The older type: a native type or a `Codable` type.
  ///   - body: Returns the new value; nil to leave the stored value to the next migration. If it throws, the value
  ///     counts as undecodable, with this error as the cause.
  @_disfavoredOverload
  public static func from<Old: DictionaryCodable>(
    _ type: Old.Type, _ body: @escaping @Sendable (_ old: Old) throws -> Value?
  ) -> DictionaryMigration {
    decoding(by: CodableCoding<Old>.self, body)
  }

  /// Creates a migration from a FlatBuffers type, which is tried if the stored value is of that type and its schema
  /// version.
  ///
  /// - Parameters:
  ///   - type: The older type.
  ///   - body: Returns the new value, as that of the overload for `Codable` types does.
  public static func from<Old: DictionaryFlatBuffersCodable>(
    _ type: Old.Type, _ body: @escaping @Sendable (_ old: Old) throws -> Value?
  ) -> DictionaryMigration {
    decoding(by: FlatBuffersCoding<Old>.self, body)
  }

  /// Creates a migration from any stored value, such as a property list.
  ///
  ///     .fromStoredValue { stored in
  ///       guard case .propertyList(let list) = stored else { return nil }
  ///       let fields = try BinaryPropertyListDecoder().decode([String: String].self, from: list)
  ///       return fields["theme"].map { Look(theme: $0) }
  ///     }
  ///
  /// - Parameter body: Returns the new value; nil to leave the stored value to the next migration. If it throws, the
  ///   value counts as undecodable, with this error as the cause.
  public static func fromStoredValue(
    _ body: @escaping @Sendable (_ stored: StoredValue) throws -> Value?
  ) -> DictionaryMigration {
    DictionaryMigration { cached, _ in
      // A queued value that can't be encoded has no stored form.
      guard let stored = (try? cached.encoded())?.stored else { return nil }
      return try Self.explaining(cached) { try body(stored) }
    }
  }

  private static func decoding<C: ValueCoding>(
    by coding: C.Type, _ body: @escaping @Sendable (C.Value) throws -> Value?
  ) -> DictionaryMigration {
    DictionaryMigration { cached, context in
      guard let old = try? C.decode(cached, in: context) else { return nil }
      return try Self.explaining(cached) { try body(old) }
    }
  }

  /// Runs a migration's own code, and explains the error that it throws.
  private static func explaining(_ cached: CachedValue, _ body: () throws -> Value?) throws -> Value? {
    do { return try body() } catch {
      throw WorkspaceError(
        .undecodable, "A migration of the stored \(cached.kind?.rawValue ?? "value") to \(Value.self) failed.",
        underlying: error)
    }
  }
}

extension ValueCoding {
  /// Returns what the first suitable migration makes of a value that can't be decoded; nil if none is suitable.
  ///
  /// Runs user code, so never call it under a lock (A11). The result isn't remembered, because it depends on the key.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` if a migration throws.
  static func migrate(
    _ value: CachedValue, by migrations: [DictionaryMigration<Value>], in context: @autoclosure () -> DecodingContext
  ) throws -> Value? {
    // An envelope is no older type's value.
    if value.kind == .sealed { return nil }
    for migration in migrations {
      if let migrated = try migration.run(value, context()) { return migrated }
    }
    return nil
  }
}
