import DflatKV
import DflatPropertyList
import DflatSupport
import Foundation

// The same mapping as that of `kvtool import --from-plist` (kvtool's StoredValue+PropertyList.swift).

extension StoredValue {
  /// Creates the value that a program would store: scalars natively, the rest as a property list.
  init(propertyListObject object: Any) throws(UserDefaultsTransfer.Reason) {
    let object = try PropertyListObject(object)
    switch object {
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .int(value)
    case .unsigned(let value): self = .uint(value)
    case .real(let value): self = .double(value)
    case .string(let text): self = .string(text)
    case .data(let bytes): self = .data(bytes)
    case .date, .array, .dictionary: self = .propertyList(try Self.list(object))
    }
  }

  private static func list(_ object: PropertyListObject) throws(UserDefaultsTransfer.Reason) -> Data {
    var writer = ObjectWriter()
    let top = try append(object, to: &writer, depth: 0)
    do { return try writer.list(top: top, limits: PropertyListLimits()) } catch {
      throw UserDefaultsTransfer.Reason.tooLarge
    }
  }

  private static func append(
    _ object: PropertyListObject, to writer: inout ObjectWriter, depth: Int
  ) throws(UserDefaultsTransfer.Reason) -> ObjectWriter.Object {
    switch object {
    case .bool(let value): return writer.bool(value)
    case .integer(let value): return writer.integer(value)
    case .unsigned(let value): return writer.integer(value)
    case .real(let value): return writer.real(value)
    // In a property list, this text represents an absence.
    case .string("$null"): return writer.null()
    case .string(let text): return writer.string(text)
    case .data(let bytes): return bytes.withUnsafeBytes { writer.data($0) }
    case .date(let date): return writer.date(date.timeIntervalSinceReferenceDate)
    case .array(let array):
      guard depth < PropertyListLimits.maximumDepth else { throw .nestedTooDeeply }
      var elements: [ObjectWriter.Object] = []
      for element in array {
        elements.append(try append(PropertyListObject(element), to: &writer, depth: depth + 1))
      }
      return elements.withUnsafeBufferPointer { writer.array($0) }
    case .dictionary(let dictionary):
      guard depth < PropertyListLimits.maximumDepth else { throw .nestedTooDeeply }
      var members: [ObjectWriter.Object] = []
      // Sorted, so that the same dictionary always has the same bytes.
      for (key, value) in dictionary.sorted(by: { $0.key.precedesInBytes($1.key) }) {
        members.append(writer.string(key))
        members.append(try append(PropertyListObject(value), to: &writer, depth: depth + 1))
      }
      return members.withUnsafeBufferPointer { writer.dictionary($0) }
    }
  }
}
