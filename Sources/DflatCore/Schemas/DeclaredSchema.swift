/// A program's schema of what one row of the file's list describes: the objects of a table, or the values of a type.
///
/// The participant that stores them compares schemas (`Comparison`); this module knows no syntax of schemas.
package final class DeclaredSchema: Sendable {
  /// Compares the text of a stored schema with the program's.
  package typealias Comparison = @Sendable (_ stored: String, _ declared: String) -> SchemaVerdict

  /// The name of the row. A table's row has the table's name; that of a type begins with the participant's name and a
  /// colon (`SchemaList.isOfTable(_:)`).
  package let row: String
  /// The words for messages.
  let wording: SchemaWording
  package let schema: FlatBuffersSchema
  /// Identifies the row in connections' caches. All schemas of one row share it, until the process ends.
  let number: Int
  private let compare: Comparison
  /// The verdicts on stored schemas, by the digests of their texts. A schema is parsed and compared once in the program's
  /// life. Texts are compared too, because anyone can make two with the same digest.
  private let verdicts = Lock<[Int64: (text: String, verdict: SchemaVerdict)]>([:])

  /// The maximum number of verdicts that are kept. A file rarely sees more than two schemas of a type while a program
  /// runs.
  private static let maximumVerdicts = 16

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

  /// Returns the verdict on the text of a stored schema, which has another digest than this one.
  package func verdict(on stored: String, digest: Int64) -> SchemaVerdict {
    if let known = verdicts.withLock({ $0[digest] }), known.text.utf8.elementsEqual(stored.utf8) {
      return known.verdict
    }
    let verdict = compare(stored, schema.text)
    verdicts.withLock { verdicts in
      if verdicts.count >= Self.maximumVerdicts { verdicts = [:] }
      verdicts[digest] = (stored, verdict)
    }
    return verdict
  }
}

/// The relation of the schema that a file stores to the program's.
package enum SchemaVerdict: Sendable {
  /// The program's schema may replace the stored one. It is newer, or each may replace the other.
  case replaceable
  /// The stored schema may replace the program's, which is older. The object is what the participant has to know of the
  /// difference, if anything.
  case newer((any AnyObject & Sendable)?)
  /// Neither may replace the other. The problems are those of the program's schema, as sentences.
  case incompatible(type: String?, problems: [String])
  /// This program can't read the stored schema.
  case unreadable
}

/// The words of messages about a schema.
package struct SchemaWording: Sendable {
  /// The name of the table or type.
  let subject: String
  /// The word for the things that the schema describes, such as "objects".
  let contents: String
  /// The remedy for an edit that contradicts the stored schema, besides undoing it.
  let remedy: String

  package init(subject: String, contents: String, remedy: String) {
    self.subject = subject
    self.contents = contents
    self.remedy = remedy
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
