/// Encodes one value.
///
/// Objects are written when they are complete. An array or dictionary is complete when `encode(to:)` of its value has
/// returned, and so are its nested containers: their numbers are reserved, because they are referred to earlier.
final class ValueEncoder: Encoder {
  typealias Object = ObjectWriter.Object

  private enum Contents {
    case none
    case single(Object)
    case array
    case dictionary
  }

  /// Nil while the encoder is a spare one.
  private(set) var session: EncodingSession!
  private var parent: ValueEncoder?
  private var key = PathKey.none
  /// The number of encoders around this one.
  private(set) var depth = 0
  /// The number of arrays and dictionaries up to this value, itself included.
  private(set) var containers = 0

  private var contents = Contents.none
  /// An array's elements, or a dictionary's keys and values in turn.
  private let objects: UnsafeMutablePointer<GrowingBuffer<Object>>
  /// The containers and superclasses in this value, which are finished with it.
  private var nested: [(number: Object, encoder: ValueEncoder)] = []
  /// The places in `nested` of the last ones of each key.
  private var nestedKeys: [Object: Int] = [:]
  /// False after the value is finished. What a program adds later goes nowhere.
  private var isOpen = false
  private var nextSpare: ValueEncoder?

  init() {
    objects = .allocate(capacity: 1)
    objects.initialize(to: GrowingBuffer(capacity: 16))
  }

  deinit {
    objects.deinitialize(count: 1)
    objects.deallocate()
  }

  func begin(in parent: ValueEncoder?, key: PathKey, session: EncodingSession) {
    self.session = session
    self.parent = parent
    self.key = key
    depth = parent.map { $0.depth + 1 } ?? 0
    containers = (parent?.containers ?? 0) + 1
    contents = .none
    isOpen = true
    objects.pointee.removeLast(downTo: 0)
  }

  /// Finishes the encoder and its nested ones, whatever they hold. Encoders that refer to each other would retain
  /// each other.
  func end() {
    isOpen = false
    parent = nil
    if nested.isEmpty { return }
    for (_, encoder) in nested { encoder.end() }
    nested = []
    nestedKeys = [:]
  }

  /// Ends an encoder that nobody else refers to.
  func end(nextSpare: ValueEncoder?) {
    end()
    key = .none
    session = nil
    self.nextSpare = nextSpare
  }

  func takeNextSpare() -> ValueEncoder? {
    let next = nextSpare
    nextSpare = nil
    return next
  }

  /// True while a value is encoded that is in an array or dictionary: this one, or one around it.
  var isInContainer: Bool { containers > 0 }

  var writer: UnsafeMutablePointer<ObjectWriter> { session.writer }
  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }
  var count: Int { objects.pointee.count }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var encoder: ValueEncoder? = self
    while let current = encoder {
      if let key = current.key.codingKey { path.append(key) }
      encoder = current.parent
    }
    return path.reversed()
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedContainerEncoder<Key>(encoder: asDictionary()))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedContainerEncoder(encoder: asArray()) }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueEncoder(encoder: self) }

  /// Returns the encoder as that of a dictionary. After a misuse, returns one whose values go nowhere.
  func asDictionary() -> ValueEncoder {
    switch contents {
    case .none: begin(.dictionary)
    case .dictionary: break
    default: return misused()
    }
    return self
  }

  func asArray() -> ValueEncoder {
    switch contents {
    case .none: begin(.array)
    case .array: break
    default: return misused()
    }
    return self
  }

  private func begin(_ container: Contents) {
    contents = container
    if containers > PropertyListLimits.maximumDepth { session.fail(tooDeep) }
  }

  private func misused() -> ValueEncoder {
    session.fail(misuse)
    return nestedEncoder(key: .none).encoder
  }

  private var misuse: EncodingError {
    error("A value is encoded as a single value and in a container, in two kinds of containers, or twice.")
  }

  var tooDeep: EncodingError {
    error("The value is nested more than \(PropertyListLimits.maximumDepth) levels deep, or contains itself.")
  }

  private func error(_ description: String) -> EncodingError {
    // Not the encoder itself, which would live as long as the error.
    .invalidValue(
      codingPath.last?.stringValue ?? "", .init(codingPath: codingPath, debugDescription: description))
  }

  // MARK: Values

  func add(_ object: Object) { objects.pointee.append(object) }

  func add(_ object: Object, forKey key: some CodingKey) {
    objects.pointee.append(writer.pointee.string(key.stringValue))
    objects.pointee.append(object)
  }

  func add<T: Encodable>(_ value: T) throws {
    add(try object(for: value, key: .index(objects.pointee.count)))
  }

  func add<T: Encodable>(_ value: T, forKey key: some CodingKey) throws {
    add(try object(for: value, key: .key(key)), forKey: key)
  }

  /// Sets the only object of a value that is no container.
  func set(_ object: Object) throws {
    guard case .none = contents else { throw misuse }
    contents = .single(object)
  }

  func set(unsigned object: Object) throws {
    try set(object)
    session.isUnsigned = true
  }

  func set<T: Encodable>(_ value: T) throws {
    guard case .none = contents else { throw misuse }
    // The value has this one's place and nesting.
    containers -= 1
    defer { containers += 1 }
    try set(object(for: value, key: .none))
    // The unsigned types that take no encoder of their own.
    if T.self == UInt64.self || T.self == UInt8.self { session.isUnsigned = true }
  }

  private func object<T: Encodable>(for value: T, key: @autoclosure () -> PathKey) throws -> Object {
    if let object = try session.object(for: value, in: self, key: key()) { return object }
    guard containers < PropertyListLimits.maximumDepth else { throw tooDeep }
    return writer.pointee.dictionary(.empty)
  }

  // MARK: Nested containers and superclasses

  func nestedEncoder(isDictionary: Bool) -> ValueEncoder {
    let encoder = nestedElement()
    return isDictionary ? encoder.asDictionary() : encoder.asArray()
  }

  /// Returns the same container for the same key, so that several types can add to it.
  func nestedEncoder(isDictionary: Bool, forKey key: some CodingKey) -> ValueEncoder {
    let encoder = nestedMember(key)
    return isDictionary ? encoder.asDictionary() : encoder.asArray()
  }

  func superEncoder() -> ValueEncoder { nestedElement() }

  /// Returns an encoder of its own for each call: of two superclasses with one key, the later counts.
  func superEncoder(forKey key: some CodingKey) -> ValueEncoder { nestedMember(key, isNew: true) }

  private func nestedElement() -> ValueEncoder {
    let (number, encoder) = nestedEncoder(key: .index(objects.pointee.count))
    objects.pointee.append(number)
    return encoder
  }

  private func nestedMember(_ key: some CodingKey, isNew: Bool = false) -> ValueEncoder {
    let name = writer.pointee.string(key.stringValue)
    let known = isNew ? nil : nestedKeys[name].map { nested[$0] }
    let (number, encoder) = known ?? nestedEncoder(key: .key(key))
    if isOpen, session.failure == nil, known == nil { nestedKeys[name] = nested.count - 1 }
    // Once more for a key that is there already: the last value counts.
    objects.pointee.append(name)
    objects.pointee.append(number)
    return encoder
  }

  /// Returns an encoder that is finished with this one. After a failure, returns one whose values go nowhere.
  private func nestedEncoder(key: PathKey) -> (number: Object, encoder: ValueEncoder) {
    let encoder = ValueEncoder()
    if session.failure != nil {
      // Without a parent: nested containers that are too deep would become a chain of any length, which is ended and
      // freed recursively.
      encoder.begin(in: nil, key: key, session: session)
      encoder.end()
      return (writer.pointee.null(), encoder)
    }
    encoder.begin(in: self, key: key, session: session)
    encoder.isOpen = isOpen
    let number = writer.pointee.reserve()
    if isOpen { nested.append((number, encoder)) }
    return (number, encoder)
  }

  // MARK: Completion

  /// Writes the value's array or dictionary, if it is one, and returns its object; nil if nothing was encoded.
  func finish() throws -> Object? {
    if let failure = session.failure { throw failure }
    try finishNested()
    switch contents {
    case .none: return nil
    case .single(let object): return object
    case .array: return writer.pointee.array(list)
    case .dictionary: return writer.pointee.dictionary(ofLatest: list)
    }
  }

  private var list: UnsafeBufferPointer<Object> {
    UnsafeBufferPointer(start: objects.pointee.base, count: objects.pointee.count)
  }

  private func finishNested() throws {
    if nested.isEmpty { return }
    for (number, encoder) in nested {
      try encoder.finishNested()
      switch encoder.contents {
      case .none:
        guard encoder.containers <= PropertyListLimits.maximumDepth else { throw tooDeep }
        _ = writer.pointee.dictionary(.empty, as: number)
      case .single(let object): writer.pointee.define(number, as: object)
      case .array: _ = writer.pointee.array(encoder.list, as: number)
      case .dictionary: _ = writer.pointee.dictionary(ofLatest: encoder.list, as: number)
      }
      encoder.end()
    }
    nested = []
    nestedKeys = [:]
  }
}

extension UnsafeBufferPointer<ObjectWriter.Object> {
  static var empty: Self { Self(start: nil, count: 0) }
}
