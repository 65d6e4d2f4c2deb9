import DflatBuffers
import DflatSupport

/// A search for a value in a vector.
protocol ElementMatcher: Matcher {
  var reader: VectorReader { get }
  func isFound(at index: Int, of elements: VectorReader.Elements) throws(FlatBufferError) -> Bool
}

extension ElementMatcher {
  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let elements = try reader.elements(in: row) else { return .unknown }
    for index in 0..<elements.count {
      if try isFound(at: index, of: elements) { return .yes }
    }
    return .no
  }
}

/// A search for an integer, a `Bool` or an enum in a vector.
final class ScalarElement: ElementMatcher {
  let reader: VectorReader
  let value: UInt64

  init(_ reader: VectorReader, _ value: UInt64) {
    self.reader = reader
    self.value = value
  }

  func isFound(at index: Int, of elements: VectorReader.Elements) throws(FlatBufferError) -> Bool {
    try reader.bits(at: index, of: elements) == value
  }
}

/// A search for a floating-point number in a vector.
final class RealElement: ElementMatcher {
  let reader: VectorReader
  let value: Double

  init(_ reader: VectorReader, _ value: Double) {
    self.reader = reader
    self.value = value
  }

  func isFound(at index: Int, of elements: VectorReader.Elements) throws(FlatBufferError) -> Bool {
    try Double(bitPattern: reader.bits(at: index, of: elements)) == value
  }
}

/// A search for a text in a vector.
final class TextElement: ElementMatcher {
  let reader: VectorReader
  let pattern: TextPattern

  init(_ reader: VectorReader, _ pattern: TextPattern) {
    self.reader = reader
    self.pattern = pattern
  }

  func isFound(at index: Int, of elements: VectorReader.Elements) throws(FlatBufferError) -> Bool {
    try pattern.matches(reader.text(at: index, of: elements))
  }
}

final class EmptyVector: Matcher {
  let reader: VectorReader

  init(_ reader: VectorReader) { self.reader = reader }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    guard let elements = try reader.elements(in: row) else { return .unknown }
    return Truth(elements.count == 0)
  }
}
