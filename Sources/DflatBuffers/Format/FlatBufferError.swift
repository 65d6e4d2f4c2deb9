/// What is wrong with a buffer, and where.
///
/// Reading, verifying and building throw this type alone. The description holds no contents of the buffer, so that it can
/// be logged:
///
///     do {
///       let post = try FlatBuffer.decode(Post.self, from: bytes)
///     } catch {
///       print(error)  // Post.title at byte 24: the text is not UTF-8
///     }
public struct FlatBufferError: Error, Hashable, Sendable {
  /// The kinds of damage. Newer versions may add some.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The buffer ends before what it announces.
    case truncated
    /// A value stands at a position that is no multiple of its alignment.
    case misaligned
    /// An offset leads out of the buffer, or nowhere.
    case offsetOutOfBounds
    /// A table's vtable is outside of the buffer, or says what can't be.
    case invalidVTable
    /// A string is not UTF-8, or lacks the zero byte after its end.
    case invalidUTF8
    /// A field that the schema requires is absent.
    case missingRequiredField
    /// A union has a kind without a value, or a value without a kind.
    case invalidUnion
    /// The buffer's file identifier is another one than the schema's.
    case wrongIdentifier
    /// Tables are nested too deeply.
    case tooDeep
    /// The buffer has too many tables.
    case tooManyTables
    /// The buffer, or what would be read from it, is too large.
    case tooLarge
    /// Decoding would take more memory than the limits allow.
    case tooMuchMemory
    /// The size in front of the buffer is not that of the buffer.
    case wrongSize
    /// A fixed-length array was given more elements than it has.
    case arrayTooLong
  }

  /// What kind of damage it is.
  public let code: Code
  /// The table or struct in which the damage was found, by its name in the schema.
  public private(set) var table: String?
  /// The field in which it was found, by its name in the schema.
  public private(set) var field: String?
  /// The byte position in the buffer.
  public let position: Int
  /// The vtable slot of the field until ``named(by:)`` finds its name, else 0.
  private var slot = 0

  /// An error of one kind at a place.
  public init(_ code: Code, table: String? = nil, field: String? = nil, position: Int = 0) {
    self.code = code
    self.table = table
    self.field = field
    self.position = position
  }

  @usableFromInline
  @inline(never)
  init(_ code: Code, slot: Int, position: Int) {
    self.init(code, position: position)
    self.slot = slot
  }

  /// The error with the names of the table that was being read, unless it has the names of one further in.
  @usableFromInline
  @inline(never)
  func named(by layout: TableLayout) -> FlatBufferError {
    guard table == nil else { return self }
    var named = self
    named.table = layout.name
    named.field = field ?? layout.fieldName(at: slot)
    named.slot = 0
    return named
  }

  /// The error with the name of the struct that was being read, unless it has a name.
  @usableFromInline
  @inline(never)
  func named(by layout: StructLayout) -> FlatBufferError {
    guard table == nil else { return self }
    var named = self
    named.table = layout.name
    named.slot = 0
    return named
  }
}

extension FlatBufferError: CustomStringConvertible {
  /// What is wrong, and where, for logs.
  public var description: String {
    let place =
      switch (table, field) {
      case (let table?, let field?): "\(table).\(field) at byte \(position)"
      case (let name?, nil), (nil, let name?): "\(name) at byte \(position)"
      case (nil, nil): "byte \(position)"
      }
    return "\(place): \(code.explanation)"
  }
}

extension FlatBufferError.Code {
  fileprivate var explanation: String {
    switch self {
    case .truncated: "the buffer ends too early"
    case .misaligned: "the value is not aligned"
    case .offsetOutOfBounds: "the offset leads out of the buffer"
    case .invalidVTable: "the table's vtable is damaged"
    case .invalidUTF8: "the text is not UTF-8"
    case .missingRequiredField: "a required field is absent"
    case .invalidUnion: "the union's kind and its value don't belong together"
    case .wrongIdentifier: "the buffer has another file identifier"
    case .tooDeep: "tables are nested too deeply"
    case .tooManyTables: "there are too many tables"
    case .tooLarge: "the buffer is too large"
    case .tooMuchMemory: "reading it would take too much memory; a larger maximumMemory allows it"
    case .wrongSize: "the size in front of the buffer is wrong"
    case .arrayTooLong: "the fixed-length array was given too many elements"
    }
  }
}
