import DflatPropertyList

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes binary property lists (`bplist00`).
enum BinaryPropertyListWriter {
  /// - Throws: ``PropertyListFailure`` if readers would refuse the list for its size.
  static func write(_ root: PropertyListNode) throws(PropertyListFailure) -> [UInt8] {
    var writer = ObjectWriter()
    let top = append(root, to: &writer)
    do { return [UInt8](try writer.list(top: top, limits: PropertyListLimits())) } catch {
      throw PropertyListFailure("the property list would take more values or memory than is allowed")
    }
  }

  private static func append(_ node: PropertyListNode, to writer: inout ObjectWriter) -> ObjectWriter.Object {
    switch node {
    case .null: return writer.null()
    case .bool(let value): return writer.bool(value)
    case .int(let value): return writer.integer(value)
    case .uint(let value): return writer.integer(value)
    case .real(let value): return writer.real(value)
    case .string(let text): return writer.string(text)
    case .data(let bytes): return bytes.withUnsafeBytes { writer.data($0) }
    case .date(let seconds): return writer.date(seconds)
    case .uid(let value): return writer.uid(value)
    case .array(let nodes):
      // The objects of a container are written first; it has their numbers.
      var elements: [ObjectWriter.Object] = []
      for node in nodes { elements.append(append(node, to: &writer)) }
      return elements.withUnsafeBufferPointer { writer.array($0) }
    case .dictionary(let pairs):
      var members: [ObjectWriter.Object] = []
      for pair in pairs {
        // Keys and values in turn, as the writer expects them.
        members.append(writer.string(pair.key))
        members.append(append(pair.value, to: &writer))
      }
      return members.withUnsafeBufferPointer { writer.dictionary($0) }
    }
  }
}
