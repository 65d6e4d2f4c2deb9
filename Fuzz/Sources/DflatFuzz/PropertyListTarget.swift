import DflatBuffers
import DflatSupport
import Foundation

@testable import DflatCore
@testable import DflatKV
@testable import kvtool

/// Tests arbitrary bytes as the property list of a stored value. The library decodes them to a value that survives
/// encoding, or throws `.undecodable`. kvtool's reader, which distinguishes more values, agrees with its writers.
///
/// The sum of the bytes selects the type, so that most changes of an input switch to another type.
func testPropertyList(_ bytes: UnsafeRawBufferPointer) {
  let data = Data(bytes)
  switch bytes.reduce(0 as UInt8, &+) % 8 {
  case 0, 1: checkDecoding(as: Profile.self, data)
  case 2: checkDecoding(as: Tree.self, data)
  case 3:
    checkDecoding(as: [Real].self, data)
    checkDecoding(as: String?.self, data)
  case 4:
    checkDecoding(as: [String: [Int16]].self, data)
    checkDecoding(as: Instant.self, data)
  default: checkTool([UInt8](bytes))
  }
}

private func checkDecoding<T: DictionaryCodable>(as type: T.Type, _ data: Data) {
  let value: T
  do { value = try ValueCoder.decode(propertyList: data, as: type) } catch {
    require((error as? WorkspaceError)?.code == .undecodable, "\(type) is refused with \(error)")
    return
  }
  guard let stored = attempt({ try ValueCoder.encode(value) }).stored else {
    return require(ValueCoder.isNil(value), "\(value) is stored as no value")
  }
  // Another box, which doesn't remember the value.
  let decoded = attempt {
    try ValueCoder.decode(CachedValue(stored), as: type, in: DecodingContext(limits: FlatBufferLimits()))
  }
  require(decoded == value, "\(type) changed in the file")
}

private func checkTool(_ bytes: [UInt8]) {
  guard let node = try? PropertyListNode.parse(bytes) else { return }
  let written = attempt { try BinaryPropertyListWriter.write(node) }
  // Compare bytes, because a NaN node isn't equal to itself.
  require(
    attempt { try BinaryPropertyListWriter.write(PropertyListNode.parse(written)) } == written,
    "the property list changed on its way through bytes")
  if let json = try? node.json() {
    require(attempt { try PropertyListNode(json).json() } == json, "the property list changed on its way through JSON")
  }
  // XML drops fractions of seconds, and represents a reference to another object as a dictionary.
  if let text = try? XMLPropertyListWriter.string(node) {
    let again = attempt { try PropertyListNode.parse(Array(text.utf8)) }
    let second = attempt { try XMLPropertyListWriter.string(again) }
    require(second.hasSameBytes(as: text), "the property list changed on its way through XML: \(text)")
  }
}

// MARK: Types

/// A floating-point number that equals another one of the same bits.
struct Real: Codable, Equatable, Sendable {
  var value: Double

  init(_ value: Double) { self.value = value }
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  static func == (a: Real, b: Real) -> Bool { a.value.bitPattern == b.value.bitPattern }
}

struct Instant: Codable, Equatable, Sendable {
  var date: Date

  static func == (a: Instant, b: Instant) -> Bool {
    Real(a.date.timeIntervalSinceReferenceDate) == Real(b.date.timeIntervalSinceReferenceDate)
  }
}

/// A typical value of a program, with all kinds of fields.
struct Profile: Codable, Equatable, Sendable {
  enum Role: String, Codable, Sendable { case guest, owner }
  enum Shape: Codable, Equatable, Sendable {
    case none
    case circle(Real)
    case named(name: String, size: UInt8)
  }

  var name: String
  var age: Int8?
  var id: UInt64
  var ratio: Float
  var isActive: Bool
  var role: Role
  var joined: Instant?
  var picture: Data
  var tags: Set<String>
  var scores: [String: Real]
  var shape: Shape?
  var others: [Profile]

  static func == (a: Profile, b: Profile) -> Bool {
    a.name == b.name && a.age == b.age && a.id == b.id && Real(Double(a.ratio)) == Real(Double(b.ratio))
      && a.isActive == b.isActive && a.role == b.role && a.joined == b.joined && a.picture == b.picture
      && a.tags == b.tags
      && a.scores == b.scores && a.shape == b.shape && a.others == b.others
  }
}

/// A tree. With shared objects, a few bytes decode to many nodes.
struct Tree: Codable, Equatable, Sendable {
  var children: [Tree]?
  var label: String?
}
