import DflatKV
import DflatPropertyList
import Foundation

extension StoredValue {
  /// Returns an object that `UserDefaults` accepts. Numbers are instances of `NSNumber`, which keep their type.
  func propertyListObject() throws(UserDefaultsTransfer.Reason) -> Any {
    switch self {
    case .bool(let value): return NSNumber(value: value)
    case .int(let value): return NSNumber(value: value)
    case .uint(let value): return NSNumber(value: value)
    case .float(let value): return NSNumber(value: value)
    case .double(let value): return NSNumber(value: value)
    case .string(let text): return text
    case .data(let bytes): return bytes
    case .propertyList(let list): return try ObjectConverter.converted(list)
    case .flatBuffers, .sealed: throw .unsupportedType
    }
  }
}

/// Converts the objects of a binary property list. Any bytes produce an object or an error.
private struct ObjectConverter {
  private let reader: ObjectReader

  /// Foundation's reader is not used: it merges keys, and the list's bytes may have come from anywhere.
  static func converted(_ list: Data) throws(UserDefaultsTransfer.Reason) -> Any {
    let result: Result<Any, UserDefaultsTransfer.Reason> = list.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      Result { () throws(UserDefaultsTransfer.Reason) in
        let reader = try checked(bytes)
        return try ObjectConverter(reader: reader).object(reader.top)
      }
    }
    return try result.get()
  }

  private static func checked(_ bytes: UnsafeRawBufferPointer) throws(UserDefaultsTransfer.Reason) -> ObjectReader {
    do throws(PropertyListCheck.Failure) {
      let reader = try ObjectReader(bytes)
      try PropertyListCheck.run(reader, limits: PropertyListLimits())
      return reader
    } catch {
      switch error {
      case .damaged: throw UserDefaultsTransfer.Reason.damaged
      case .deep: throw UserDefaultsTransfer.Reason.nestedTooDeeply
      case .large: throw UserDefaultsTransfer.Reason.tooLarge
      }
    }
  }

  private func object(_ object: ObjectReader.Object) throws(UserDefaultsTransfer.Reason) -> Any {
    let contents = reader[object]
    switch contents {
    // Encoders write this for an absence.
    case .null: return "$null"
    case .bool(let value): return NSNumber(value: value)
    case .integer(let value): return NSNumber(value: value)
    case .unsigned(let value): return NSNumber(value: value)
    case .wideInteger: throw .integerTooLarge
    case .real(let value): return NSNumber(value: value)
    case .shortReal(let value): return NSNumber(value: value)
    case .date(let seconds):
      guard seconds.isFinite else { throw .unsupportedType }
      return Date(timeIntervalSinceReferenceDate: seconds)
    case .uid: throw .unsupportedType
    case .data(let bytes): return Data(bytes)
    case .ascii, .utf8, .utf16:
      guard let text = contents.text else { throw .damaged }
      return text
    case .array(let references):
      var elements: [Any] = []
      for index in 0..<references.count { elements.append(try self.object(reader.object(at: index, of: references))) }
      return elements
    case .dictionary(let references): return try members(references)
    }
  }

  private func members(_ references: ObjectReader.References) throws(UserDefaultsTransfer.Reason) -> [String: Any] {
    let count = references.count / 2
    var members: [String: Any] = [:]
    for index in 0..<count {
      guard let key = reader[reader.object(at: index, of: references)].text else { throw .unsupportedType }
      let value = try object(reader.object(at: count + index, of: references))
      guard members.updateValue(value, forKey: key) == nil else { throw .equivalentKey }
    }
    return members
  }
}
