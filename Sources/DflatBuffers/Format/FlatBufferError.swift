/// A defect in a buffer, and its position.
///
/// Reading, verifying and building throw only this type. The description has no contents of the buffer, and is safe to
/// log:
///
///     do {
///       let post = try FlatBuffer.decode(Post.self, from: bytes)
///     } catch {
///       print(error)  // Post.title at byte 24: the text is not UTF-8
///     }
public struct FlatBufferError: Error, Hashable, Sendable {
  /// The kinds of defects. Later versions may add some.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The buffer ends before the data that it announces.
    case truncated
    /// A value's position is not a multiple of its alignment.
    case misaligned
    /// An offset is zero, or leads out of the buffer.
    case offsetOutOfBounds
    /// A table's vtable lies outside the buffer, or has impossible contents.
    case invalidVTable
    /// A string is not valid UTF-8, or lacks the zero byte after its end.
    case invalidUTF8
    /// A field that the schema requires is absent.
    case missingRequiredField
    /// A union has a kind without a value, a value without a kind, or, if it is required, an unknown kind; or the
    /// vectors of kinds and values differ in length.
    case invalidUnion
    /// The buffer's file identifier differs from the schema's, or is not four bytes long when given to a builder.
    case wrongIdentifier
    /// Tables are nested too deeply.
    case tooDeep
    /// The buffer has too many tables.
    case tooManyTables
    /// The buffer, one of its tables, or the amount of data to read from it, is too large.
    case tooLarge
    /// Decoding would take more memory than the limits allow.
    case tooMuchMemory
    /// The size at the buffer's front is not the size of the rest.
    case wrongSize
    /// A fixed-length array was given more elements than it has.
    case arrayTooLong
  }

  /// The kind of defect.
  public let code: Code
  /// The schema's name of the table or struct with the defect.
  public internal(set) var table: String?
  /// The schema's name of the field with the defect.
  public internal(set) var field: String?
  /// The byte position in the buffer.
  public let position: Int
  /// The vtable slot of the field until ``named(by:)`` resolves its name, otherwise 0.
  var slot = 0

  /// Creates an error.
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
}

extension FlatBufferError: CustomStringConvertible {
  /// The position and an explanation, for logs.
  public var description: String {
    let location =
      switch (table, field) {
      case (let table?, let field?): "\(table).\(field) at byte \(position)"
      case (let name?, nil), (nil, let name?): "\(name) at byte \(position)"
      case (nil, nil): "byte \(position)"
      }
    return "\(location): \(code.explanation)"
  }
}

extension FlatBufferError.Code {
  fileprivate var explanation: String {
    switch self {
    case .truncated: "the buffer ends too early"
    case .misaligned: "the value is not aligned"
    case .offsetOutOfBounds: "the offset points outside of the buffer"
    case .invalidVTable: "the table's vtable is damaged"
    case .invalidUTF8: "the text is not UTF-8"
    case .missingRequiredField: "a required field is absent"
    case .invalidUnion: "the union's kind and its value don't match"
    case .wrongIdentifier: "the buffer has a different file identifier"
    case .tooDeep: "tables are nested too deeply"
    case .tooManyTables: "there are too many tables"
    case .tooLarge: "the buffer is too large"
    case .tooMuchMemory: "reading it would take too much memory; a larger maximumMemory allows it"
    case .wrongSize: "the size prefix of the buffer is wrong"
    case .arrayTooLong: "the fixed-length array was given too many elements"
    }
  }
}
