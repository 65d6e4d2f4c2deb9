/// Decodes one value.
final class ValueDecoder: Decoder {
  typealias Object = ObjectReader.Object

  /// Nil while the decoder is a spare one.
  private(set) var session: DecodingSession!
  private var parent: ValueDecoder?
  private var key = PathKey.none
  /// Nil if there is no object, which decodes as an absence.
  private var object: Object?
  /// Finds the values of keys, if the value is a dictionary. Behind a pointer, so that accesses aren't checked for
  /// exclusivity.
  private let lookup: UnsafeMutablePointer<KeyLookup>
  private var nextSpare: ValueDecoder?

  init() {
    lookup = .allocate(capacity: 1)
    lookup.initialize(to: KeyLookup())
  }

  deinit {
    lookup.deinitialize(count: 1)
    lookup.deallocate()
  }

  func begin(with object: Object?, in parent: ValueDecoder?, key: PathKey, session: DecodingSession) {
    self.session = session
    self.object = object
    self.parent = parent
    self.key = key
    if lookup.pointee.references != nil { lookup.pointee = KeyLookup() }
  }

  /// Releases what the decoder refers to.
  func end(nextSpare: ValueDecoder?) {
    parent = nil
    key = .none
    session = nil
    self.nextSpare = nextSpare
  }

  func takeNextSpare() -> ValueDecoder? {
    let next = nextSpare
    nextSpare = nil
    return next
  }

  var reader: ObjectReader { session.reader }
  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var decoder: ValueDecoder? = self
    while let current = decoder {
      if let key = current.key.codingKey { path.append(key) }
      decoder = current.parent
    }
    return path.reversed()
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if lookup.pointee.references == nil {
      guard let object, case .dictionary(let references) = reader[object] else {
        throw session.mismatch([String: Any].self, object, codingPath)
      }
      lookup.pointee = KeyLookup(references)
    }
    return KeyedDecodingContainer(KeyedContainerDecoder<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try elements() }

  func elements() throws -> UnkeyedContainerDecoder {
    guard let object, case .array(let references) = reader[object] else {
      throw session.mismatch([Any].self, object, codingPath)
    }
    return UnkeyedContainerDecoder(decoder: self, references: references)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValueDecoder(decoder: self) }

  // MARK: The value itself

  var isNull: Bool { session.isNull(object) }

  func bool() throws -> Bool { try session.bool(object, in: self, key: .none) }
  func string() throws -> String { try session.string(object, in: self, key: .none) }
  func double() throws -> Double { try session.double(object, in: self, key: .none) }
  func float() throws -> Float { try session.float(object, in: self, key: .none) }

  func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    try session.integer(type, object, in: self, key: .none)
  }

  func value<T: Decodable>(_ type: T.Type) throws -> T { try session.value(type, of: object, in: self, key: .none) }

  // MARK: The values of a dictionary

  /// The keys that are strings.
  var keys: [String] {
    guard let references = lookup.pointee.references else { return [] }
    return (0..<references.count / 2).compactMap { reader[reader.object(at: $0, of: references)].text }
  }

  func find(_ key: some CodingKey) -> Object? { lookup.pointee.find(key.stringValue, in: reader) }

  func object(forKey key: some CodingKey) throws -> Object {
    if let found = find(key) { return found }
    throw DecodingSession.missing(key, in: codingPath)
  }

  /// Returns the object of a key, or nil if there is none or it is an absence.
  func present(_ key: some CodingKey) -> Object? {
    guard let found = find(key), !session.isNull(found) else { return nil }
    return found
  }
}
