/// Converts values of one type to and from the cache's form. Each family of public overloads has a conformer, so that
/// all of them share one path.
///
/// Runs user code, so never call it under a lock (A11).
protocol ValueCoding<Value>: Sendable {
  associatedtype Value: Equatable & Sendable

  /// Returns a value for the cache; an absence for an optional's nil. A deferred value is encoded when it is committed.
  /// Two values are the same only if their bytes are: those that are merely equal (`==`), such as 0 and -0 or two
  /// spellings of a text, may be written again.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.unencodable`, without the key.
  static func wrap(_ value: Value) throws -> CachedValue

  /// Returns nil for an absence. Evaluates `context` only where there are bytes to decode.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch`, `.schemaVersionMismatch`, `.undecodable` or
  ///   `.unencodable`, without the key.
  static func decode(_ value: CachedValue, in context: @autoclosure () -> DecodingContext) throws -> Value?

  /// Decodes an optional for which `decode` threw `failure`, from the form in which earlier versions stored optionals.
  /// Returns nil for its nil.
  ///
  /// - Throws: `failure`, if the value is not of that form.
  static func decodeEarlierOptional(
    _ value: CachedValue, after failure: any Error, in context: DecodingContext
  ) throws -> Value?

  /// Decodes a value for which `decode` threw `failure`, with the fields that it lacks taken from a default value.
  ///
  /// - Throws: `failure`, or the error of the completed value.
  static func decode(
    _ value: CachedValue, completedBy defaultValue: Value, after failure: any Error, in context: DecodingContext
  ) throws -> Value

  /// Returns true for equal values, and for two NaNs that are values of their own.
  static func isSame(_ a: Value, _ b: Value) -> Bool

  /// Returns true for an optional's nil, which is stored as no value.
  static func isNil(_ value: Value) -> Bool
}

extension ValueCoding {
  static func decodeEarlierOptional(
    _ value: CachedValue, after failure: any Error, in context: DecodingContext
  ) throws -> Value? {
    throw failure
  }

  /// Decodes a value. One that can't be decoded is migrated, or else completed: fields that it lacks take their values
  /// from a default, if there is one. Returns nil for an absence. Evaluates the default only to complete a value.
  ///
  /// - Throws: The errors of ``decode(_:in:)``.
  static func decode(
    _ value: CachedValue, migrating migrations: [DictionaryMigration<Value>],
    completedBy defaultValue: @autoclosure () -> Value?, in context: @autoclosure () -> DecodingContext
  ) throws -> Value? {
    do { return try decode(value, in: context()) } catch {
      if let migrated = try migrate(value, by: migrations, in: context()) { return migrated }
      guard let template = defaultValue() else { throw error }
      return try decode(value, completedBy: template, after: error, in: context())
    }
  }
}
