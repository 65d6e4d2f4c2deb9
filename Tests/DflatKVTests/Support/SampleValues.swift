import DflatKV
import Foundation

/// A struct as programs store it.
struct Point: Codable, Equatable, Sendable {
  var x: Double
  var y: Double
}

/// An enum with a raw value, which is a scalar to its encoder.
enum Colour: String, Codable, Equatable, Sendable { case red, green }

/// An enum with payloads.
enum Shape: Codable, Equatable, Sendable {
  case circle(radius: Double)
  case square(side: Double)
  case nothing
}

/// A value that is encoded as a scalar or as a container; its decoder accepts both.
enum Tree: Codable, Equatable, Sendable {
  case leaf(Int)
  case branch([Tree])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .leaf(number)
    } else {
      self = .branch(try container.decode([Tree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .leaf(let number): try container.encode(number)
    case .branch(let trees): try container.encode(trees)
    }
  }
}

/// A value that can't be encoded while `isBad` is true.
struct Stubborn: Codable, Equatable, Sendable {
  struct Refusal: Error {}

  var number: Int
  var isBad = false

  func encode(to encoder: any Encoder) throws {
    if isBad { throw Refusal() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encode(isBad, forKey: .isBad)
  }
}

extension StoredValue.Kind {
  /// A stored value of this kind.
  ///
  /// - Parameter data: The contents of a value of the kind `data`.
  func sample(data: Data = Data()) -> StoredValue {
    switch self {
    case .bool: .bool(true)
    case .int: .int(1)
    case .uint: .uint(1)
    case .float: .float(1)
    case .double: .double(1)
    case .string: .string("")
    case .data: .data(data)
    case .propertyList: .propertyList(Data())
    case .flatBuffers: .flatBuffers(Data([1]), schemaVersion: "2")
    case .sealed: .sealed(.envelope)
    }
  }
}

extension Data {
  /// Bytes with the form of an envelope, that no key opens.
  static let envelope = Data([1] + [UInt8](repeating: 7, count: 40))
}
