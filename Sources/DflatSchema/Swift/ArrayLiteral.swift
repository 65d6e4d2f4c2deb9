/// An array in generated code.
///
/// The type checker's time grows with the square of a literal's length, so a long array gets a function that appends one
/// part after the other.
struct ArrayLiteral {
  /// The maximum length of an array that is one literal, in bytes of Swift.
  private static let maximumLength = 2000
  /// The length, in bytes of Swift, beyond which a part gets no further element.
  private static let partLength = 1000

  /// Writes an element and the text after it.
  private typealias Element = (_ end: String, inout CodeWriter) -> Void

  /// The name of a long array's function.
  private let function: String
  private let elementType: String
  private let elements: [Element]
  /// The lengths of the elements.
  private let lengths: [Int]

  init<Value>(
    function: String, of elementType: String, _ values: [Value],
    _ emit: @escaping (Value, _ end: String, inout CodeWriter) -> Void
  ) {
    self.function = function
    self.elementType = elementType
    elements = values.map { value in { end, writer in emit(value, end, &writer) } }
    lengths = elements.map { emit in
      var writer = CodeWriter()
      emit("", &writer)
      return writer.text.utf8.count
    }
  }

  var isEmpty: Bool { elements.isEmpty }

  private var isLong: Bool { lengths.reduce(0, +) > Self.maximumLength }

  /// Writes `label: [`, the elements, and `]`, or a call of the function; after it `end`.
  func emitArgument(_ label: String, end: String, to writer: inout CodeWriter) {
    if isLong { return writer.line("\(label): \(function)()\(end)") }
    writer.line("\(label): [")
    emit(elements[...], to: &writer)
    writer.line("]" + end)
  }

  /// Writes the function of a long array, after an empty line; nothing for another one.
  func emitFunction(to writer: inout CodeWriter) {
    guard isLong else { return }
    writer.line()
    writer.block("private static func \(function)() -> [\(elementType)]") { writer in
      writer.line("var elements: [\(elementType)] = []")
      var start = 0
      while start < elements.count {
        var end = start
        var length = 0
        while end < elements.count, length <= Self.partLength {
          length += lengths[end]
          end += 1
        }
        writer.line("elements += [")
        emit(elements[start..<end], to: &writer)
        writer.line("]")
        start = end
      }
      writer.line("return elements")
    }
  }

  private func emit(_ elements: ArraySlice<Element>, to writer: inout CodeWriter) {
    writer.indented { writer in
      for element in elements { element(elements.count > 1 ? "," : "", &writer) }
    }
  }
}
