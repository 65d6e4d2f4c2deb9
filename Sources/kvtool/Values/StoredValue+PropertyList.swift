#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV
import DflatSupport

extension StoredValue {
  /// Creates the value that a program would store: scalars natively, the rest as a property list.
  init(_ node: PropertyListNode) throws(PropertyListFailure) {
    switch node {
    case .null: self = .string("$null")
    case .bool(let bool): self = .bool(bool)
    case .int(let int): self = .int(int)
    case .uint(let uint): self = .uint(uint)
    case .real(let double): self = .double(double)
    case .string(let string): self = .string(string)
    case .data(let bytes): self = .data(Data(bytes))
    case .date, .uid, .array, .dictionary: self = .propertyList(Data(try BinaryPropertyListWriter.write(node)))
    }
  }

  /// Returns true if two values have the same type and the same content.
  ///
  /// Strings are compared by their bytes, and property lists by their content, since one tree has several encodings.
  func isSame(as other: StoredValue) -> Bool {
    switch (self, other) {
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.float(let left), .float(let right)): left == right || left.isNaN && right.isNaN
    case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
    case (.propertyList(let left), .propertyList(let right)):
      left == right || Self.canonicalJSON(left).map { $0 == Self.canonicalJSON(right) } ?? false
    case (.bool, _), (.int, _), (.uint, _), (.float, _), (.double, _), (.string, _), (.data, _), (.propertyList, _),
      (.flatBuffers, _), (.sealed, _):
      self == other
    }
  }

  private static func canonicalJSON(_ data: Data) -> JSONValue? {
    try? PropertyListNode.parse([UInt8](data)).json()
  }
}

extension PropertyListNode {
  /// Creates the property list form of a stored value. Property lists and FlatBuffers become data.
  init(_ value: StoredValue) {
    switch value {
    case .bool(let bool): self = .bool(bool)
    case .int(let int): self = .int(int)
    case .uint(let uint): self = Int64(exactly: uint).map(PropertyListNode.int) ?? .uint(uint)
    case .float(let float): self = .real(Double(float))
    case .double(let double): self = .real(double)
    case .string(let string): self = .string(string)
    case .data(let data), .propertyList(let data), .flatBuffers(let data, _), .sealed(let data):
      self = .data([UInt8](data))
    }
  }
}
