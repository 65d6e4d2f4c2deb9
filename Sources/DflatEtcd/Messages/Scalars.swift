#if Etcd

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  // The JSON form of protocol buffers (https://protobuf.dev/programming-guides/json/): bytes in base64, 64-bit numbers as
  // text, and no fields that have their default.

  /// Bytes.
  struct Base64: Codable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let data = Data(base64Encoded: try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64")
      }
      bytes = Array(data)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(Data(bytes).base64EncodedString())
    }
  }

  /// A 64-bit number.
  struct IntegerText<Value: FixedWidthInteger & Codable & Sendable>: Codable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Value.self) {
        self.value = value
      } else if let value = Value(try container.decode(String.self)) {
        self.value = value
      } else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an integer")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(String(value))
    }
  }

  typealias Int64Text = IntegerText<Int64>
  typealias UInt64Text = IntegerText<UInt64>

#endif
