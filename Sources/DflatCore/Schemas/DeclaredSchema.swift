/// A program's schema of what one row of the file's list describes: the objects of a table, or the values of a type.
///
/// The participant that stores them compares schemas (`Comparison`); this module knows no syntax of schemas.
package final class DeclaredSchema: Sendable {
  /// Compares the text of a stored schema with the program's.
  package typealias Comparison = @Sendable (_ stored: String, _ declared: String) -> SchemaCompatibility

  /// The name of the row. A table's row has the table's name; that of a type begins with the participant's name and a
  /// colon (`SchemaList.isOfTable(_:)`).
  package let row: String
  /// The words for messages.
  let wording: SchemaWording
  package let schema: FlatBuffersSchema
  /// Identifies the row in connections' caches. All schemas of one row share it, until the process ends.
  let number: Int
  private let compare: Comparison
  /// The results of comparisons with stored schemas, by the digests of their texts. A schema is parsed and compared
  /// once in the program's life. Texts are compared too, because anyone can make two with the same digest.
  private let comparisons = Lock<[Int64: (text: String, result: SchemaCompatibility)]>([:])

  /// The maximum number of results that are kept. A file rarely sees more than two schemas of a type while a program
  /// runs.
  private static let maximumComparisons = 16

  package init(
    _ schema: FlatBuffersSchema, row: String, wording: SchemaWording, comparedBy compare: @escaping Comparison
  ) {
    self.schema = schema
    self.row = row
    self.wording = wording
    self.compare = compare
    number = RowNumbers.number(of: row)
  }

  package var text: String { schema.text }

  package var digest: Int64 { schema.digest }

  /// Compares the text of a stored schema, which has another digest than this one, with the program's.
  package func compatibility(with stored: String, digest: Int64) -> SchemaCompatibility {
    if let known = comparisons.withLock({ $0[digest] }), known.text.utf8.elementsEqual(stored.utf8) {
      return known.result
    }
    let result = compare(stored, schema.text)
    comparisons.withLock { comparisons in
      if comparisons.count >= Self.maximumComparisons { comparisons = [:] }
      comparisons[digest] = (stored, result)
    }
    return result
  }
}

/// Assigns numbers to the names of rows. A number is valid until the process ends.
private enum RowNumbers {
  private static let numbers = Lock<[ByteComparedString: Int]>([:])

  static func number(of row: String) -> Int {
    let row = ByteComparedString(row)
    return numbers.withLock { numbers in
      if let found = numbers[row] { return found }
      numbers[row] = numbers.count
      return numbers.count - 1
    }
  }
}
