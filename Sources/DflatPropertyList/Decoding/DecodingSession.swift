#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One call of `decode`: the list, and the decoders in use.
final class DecodingSession {
  typealias Object = ObjectReader.Object

  private(set) var reader: ObjectReader
  let userInfo: [CodingUserInfoKey: Any]
  private let decoders: SpareDecoders
  /// The number of decoders that wait for each other.
  private var depth = 0
  /// Copies of the list, or of the bytes of an object in no list, and of that object, for a program that keeps a
  /// decoder beyond the call.
  private var copy: UnsafeMutableRawBufferPointer?
  private var scalarCopy: UnsafeMutablePointer<ObjectReader.Contents>?

  /// Types that decode a single value add decoders without nesting the list.
  private static let maximumDepth = 4 * PropertyListLimits.maximumDepth

  init(_ reader: ObjectReader, _ userInfo: [CodingUserInfoKey: any Sendable]) {
    self.reader = reader
    self.userInfo = userInfo
    decoders = SpareDecoders.spare.take() ?? SpareDecoders()
  }

  deinit {
    copy?.deallocate()
    scalarCopy?.deallocate()
  }

  /// Leaves the unused decoders to another session.
  func giveBackDecoders() { SpareDecoders.spare.give(decoders) }

  /// Reads from a copy of the list from now on.
  func copyList() {
    if let scalar = reader.scalar { return copyScalar(scalar.pointee) }
    reader = ObjectReader(reader, copied(reader.bytes))
  }

  private func copyScalar(_ contents: ObjectReader.Contents) {
    let copy = UnsafeMutablePointer<ObjectReader.Contents>.allocate(capacity: 1)
    switch contents {
    case .utf8(let bytes): copy.initialize(to: .utf8(copied(bytes)))
    case .data(let bytes): copy.initialize(to: .data(copied(bytes)))
    default: copy.initialize(to: contents)
    }
    scalarCopy = copy
    reader = ObjectReader(scalar: copy)
  }

  private func copied(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyMemory(from: bytes)
    self.copy = copy
    return UnsafeRawBufferPointer(copy)
  }

  /// Decodes a value. The object is nil if there is none, for which only some types have a value.
  func value<T: Decodable>(
    _ type: T.Type, of object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey
  ) throws -> T {
    if let leaf = try leaf(type, of: object, in: parent, key: key()) { return leaf }
    guard depth < Self.maximumDepth else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path(parent, key()), debugDescription: "\(type) decodes itself without end."))
    }
    depth += 1
    defer { depth -= 1 }
    var decoder = decoders.take() ?? ValueDecoder()
    decoder.begin(with: object, in: parent, key: key(), session: self)
    let value = try type.init(from: decoder)
    if isKnownUniquelyReferenced(&decoder) { decoders.give(decoder) }
    return value
  }

  func decoder(for object: Object?, in parent: ValueDecoder, key: PathKey) -> ValueDecoder {
    let decoder = ValueDecoder()
    decoder.begin(with: object, in: parent, key: key, session: self)
    return decoder
  }

  func isNull(_ object: Object?) -> Bool {
    guard let object else { return true }
    if case .null = reader[object] { return true }
    return false
  }

  // MARK: Leaves

  /// Decodes a type that needs no decoder; nil for others.
  @inline(__always)
  private func leaf<T: Decodable>(
    _ type: T.Type, of object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey
  ) throws -> T? {
    // In each branch, `T` is the type that was compared, so the cast only renames the value.
    if T.self == String.self { return unsafeBitCast(try string(object, in: parent, key: key()), to: T.self) }
    if T.self == Int.self { return unsafeBitCast(try integer(Int.self, object, in: parent, key: key()), to: T.self) }
    if T.self == Double.self { return unsafeBitCast(try double(object, in: parent, key: key()), to: T.self) }
    if T.self == Bool.self { return unsafeBitCast(try bool(object, in: parent, key: key()), to: T.self) }
    if T.self == Date.self { return unsafeBitCast(try date(object, in: parent, key: key()), to: T.self) }
    if T.self == Data.self { return unsafeBitCast(try data(object, in: parent, key: key()), to: T.self) }
    if T.self == Float.self { return unsafeBitCast(try float(object, in: parent, key: key()), to: T.self) }
    if T.self == Int64.self {
      return unsafeBitCast(try integer(Int64.self, object, in: parent, key: key()), to: T.self)
    }
    if T.self == UInt64.self {
      return unsafeBitCast(try integer(UInt64.self, object, in: parent, key: key()), to: T.self)
    }
    if T.self == UInt8.self {
      return unsafeBitCast(try integer(UInt8.self, object, in: parent, key: key()), to: T.self)
    }
    if T.self == Int32.self {
      return unsafeBitCast(try integer(Int32.self, object, in: parent, key: key()), to: T.self)
    }
    // A URL in a list is a dictionary, which its own initializer decodes.
    if T.self == URL.self, let url = try url(object, in: parent, key: key()) { return unsafeBitCast(url, to: T.self) }
    return nil
  }

  func bool(_ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey) throws -> Bool {
    if let object, case .bool(let value) = reader[object] { return value }
    throw mismatch(Bool.self, object, path(parent, key()))
  }

  func string(_ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey) throws -> String {
    guard let object else { throw mismatch(String.self, object, path(parent, key())) }
    let contents = reader[object]
    switch contents {
    case .ascii, .utf8, .utf16:
      if let text = contents.text { return text }
      throw corrupted("A string's bytes are not valid.", path(parent, key()))
    default: throw mismatch(String.self, object, path(parent, key()))
    }
  }

  func integer<T: FixedWidthInteger>(
    _ type: T.Type, _ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey
  ) throws -> T {
    guard let object else { throw mismatch(type, object, path(parent, key())) }
    let value: T?
    switch reader[object] {
    case .integer(let number): value = T(exactly: number)
    case .unsigned(let number): value = T(exactly: number)
    case .real(let number): value = T(exactly: number)
    case .shortReal(let number): value = T(exactly: number)
    case .wideInteger: value = nil
    default: throw mismatch(type, object, path(parent, key()))
    }
    if let value { return value }
    throw inexact(type, path(parent, key()))
  }

  func double(_ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey) throws -> Double {
    guard let object else { throw mismatch(Double.self, object, path(parent, key())) }
    let value: Double?
    switch reader[object] {
    case .real(let number): return number
    case .shortReal(let number): value = Double(number)
    case .integer(let number): value = Double(exactly: number)
    case .unsigned(let number): value = Double(exactly: number)
    case .wideInteger: value = nil
    default: throw mismatch(Double.self, object, path(parent, key()))
    }
    if let value { return value }
    throw inexact(Double.self, path(parent, key()))
  }

  func float(_ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey) throws -> Float {
    guard let object else { throw mismatch(Float.self, object, path(parent, key())) }
    let value: Float?
    switch reader[object] {
    case .shortReal(let number): return number
    case .real(let number): value = number.isNaN ? Float(number) : Float(exactly: number)
    case .integer(let number): value = Float(exactly: number)
    case .unsigned(let number): value = Float(exactly: number)
    case .wideInteger: value = nil
    default: throw mismatch(Float.self, object, path(parent, key()))
    }
    if let value { return value }
    throw inexact(Float.self, path(parent, key()))
  }

  private func date(_ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey) throws -> Date {
    if let object, case .date(let seconds) = reader[object] { return Date(timeIntervalSinceReferenceDate: seconds) }
    throw mismatch(Date.self, object, path(parent, key()))
  }

  private func data(_ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey) throws -> Data {
    if let object, case .data(let bytes) = reader[object] { return Data(bytes) }
    throw mismatch(Data.self, object, path(parent, key()))
  }

  /// Decodes a URL from its text; nil if the object is no text. In lists, URLs are dictionaries.
  private func url(_ object: Object?, in parent: ValueDecoder?, key: @autoclosure () -> PathKey) throws -> URL? {
    guard let object else { return nil }
    switch reader[object] {
    case .ascii, .utf8, .utf16:
      if let url = URL(string: try string(object, in: parent, key: key())) { return url }
      throw corrupted("The text is not a URL.", path(parent, key()))
    default: return nil
    }
  }

  // MARK: Errors

  private func path(_ parent: ValueDecoder?, _ key: PathKey) -> [any CodingKey] {
    (parent?.codingPath ?? []) + (key.codingKey.map { [$0] } ?? [])
  }

  private func corrupted(_ description: String, _ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: description))
  }

  /// Returns the error of a number that a type can't represent exactly.
  private func inexact(_ type: Any.Type, _ path: [any CodingKey]) -> DecodingError {
    .typeMismatch(type, .init(codingPath: path, debugDescription: "\(type) can't represent the number exactly."))
  }

  /// Returns the error of a key that a dictionary doesn't have.
  static func missing(_ key: any CodingKey, in path: [any CodingKey]) -> DecodingError {
    .keyNotFound(key, .init(codingPath: path, debugDescription: "The dictionary has no key '\(key.stringValue)'."))
  }

  func mismatch(_ type: Any.Type, _ object: Object?, _ path: [any CodingKey]) -> DecodingError {
    // The decoder of a superclass has no object if the dictionary lacks its key, which is the last of the path.
    if object == nil, let key = path.last { return Self.missing(key, in: path.dropLast()) }
    guard let object, !isNull(object) else {
      return .valueNotFound(type, .init(codingPath: path, debugDescription: "There is no value for \(type)."))
    }
    return .typeMismatch(
      type, .init(codingPath: path, debugDescription: "The value is \(reader[object].name), not \(type)."))
  }
}

extension ObjectReader.Contents {
  fileprivate var name: String {
    switch self {
    case .null: "absent"
    case .bool: "a Boolean"
    case .integer, .unsigned, .wideInteger: "an integer"
    case .real, .shortReal: "a real number"
    case .date: "a date"
    case .uid: "a reference within a keyed archive"
    case .data: "data"
    case .ascii, .utf16, .utf8: "a string"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }
}
