import DflatPropertyList

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads binary property lists (`bplist00`). Any bytes produce a tree or an error.
struct BinaryPropertyListReader {
  static let magic = PropertyListFormat.header

  private let reader: ObjectReader

  static func read(_ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyListNode {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(PropertyListFailure) in
        let reader = try checked(bytes)
        return try BinaryPropertyListReader(reader: reader).node(reader.top)
      }
    }
    return try result.get()
  }

  /// Returns true for an array of one that comes before its element. A version before 0.3 may have put a single value
  /// into it (docs/storage-format.md), which an array written by this version wouldn't be read as.
  static func mayWrapSingleValue(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard let reader = try? checked(bytes), reader.top == 0, case .array(let elements) = reader[reader.top] else {
        return false
      }
      return elements.count == 1
    }
  }

  /// Returns true for a list, also for one that is too deep or too large to be read, or has values that a
  /// ``PropertyListNode`` can't represent.
  static func isList(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      do throws(PropertyListCheck.Failure) {
        try PropertyListCheck.run(try ObjectReader(bytes), limits: PropertyListLimits())
        return true
      } catch {
        switch error {
        case .damaged: return false
        case .deep, .large: return true
        }
      }
    }
  }

  private static func checked(_ bytes: UnsafeRawBufferPointer) throws(PropertyListFailure) -> ObjectReader {
    guard bytes.starts(with: magic) else { throw PropertyListFailure("it is not a binary property list") }
    do throws(PropertyListCheck.Failure) {
      let reader = try ObjectReader(bytes)
      try PropertyListCheck.run(reader, limits: PropertyListLimits())
      return reader
    } catch {
      switch error {
      case .damaged: throw damaged
      case .deep: throw PropertyListFailure("the property list is nested too deeply, or contains itself")
      case .large: throw PropertyListFailure("the property list would take more values or memory than is allowed")
      }
    }
  }

  private func node(_ object: ObjectReader.Object) throws(PropertyListFailure) -> PropertyListNode {
    let contents = reader[object]
    switch contents {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .int(value)
    case .unsigned(let value): return .uint(value)
    case .wideInteger: throw PropertyListFailure("the property list contains an integer of more than 64 bits")
    case .real(let value): return .real(value)
    // All reals are doubles here; the conversion is exact.
    case .shortReal(let value): return .real(Double(value))
    case .date(let seconds): return .date(seconds)
    case .uid(let value): return .uid(value)
    case .data(let bytes): return .data(Array(bytes))
    // The check has seen the lengths of texts, but not whether their bytes are valid.
    case .utf16:
      guard let text = contents.text else {
        throw PropertyListFailure("the property list contains a string that is not UTF-16")
      }
      return .string(text)
    case .ascii, .utf8:
      guard let text = contents.text else { throw Self.damaged }
      return .string(text)
    case .array(let references):
      var elements: [PropertyListNode] = []
      elements.reserveCapacity(references.count)
      for index in 0..<references.count { elements.append(try node(reader.object(at: index, of: references))) }
      return .array(elements)
    case .dictionary(let references): return .dictionary(try members(references))
    }
  }

  private func members(
    _ references: ObjectReader.References
  ) throws(PropertyListFailure) -> [PropertyListNode.Member] {
    let count = references.count / 2
    var members: [PropertyListNode.Member] = []
    members.reserveCapacity(count)
    for index in 0..<count {
      guard let key = reader[reader.object(at: index, of: references)].text else {
        throw PropertyListFailure("the property list has a dictionary with a key that is not a string")
      }
      let value = try node(reader.object(at: count + index, of: references))
      members.append(PropertyListNode.Member(key: key, value: value))
    }
    return members
  }

  static var damaged: PropertyListFailure { PropertyListFailure("the binary property list is damaged") }
}
