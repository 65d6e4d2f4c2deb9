import DflatCore
import DflatSQLite
import DflatSchema

/// The schema of a type's objects, as the program knows it.
package final class DeclaredSchema: Sendable {
  /// The canonical text (`SchemaText`).
  package let text: String
  /// The text's digest, which the file stores with it. Schemas with the same digest are the same.
  package let digest: Int64
  /// The verdicts on stored schemas, by the digests of their texts. A schema is parsed and compared once in the program's
  /// life. Texts are compared too, because anyone can make two with the same digest.
  private let verdicts = Lock<[Int64: (text: String, verdict: SchemaVerdict)]>([:])

  /// The maximum number of verdicts that are kept. A file rarely sees more than two schemas of a type while a program
  /// runs.
  private static let maximumVerdicts = 16

  init(_ text: String) {
    self.text = text
    digest = DeclaredSchema.digest(of: text)
  }

  /// Returns the 64-bit FNV-1a hash of a text's UTF-8 bytes (Fowler, Noll and Vo), as a signed number for SQLite.
  package static func digest(of text: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int64(bitPattern: hash)
  }

  /// Returns the text in a row of the file's list; nil if it isn't the one that a program stored.
  static func stored(in row: Statement, digestAt digest: Int32, textAt text: Int32) -> String? {
    guard row.type(at: digest) == .integer, row.type(at: text) == .text else { return nil }
    let stored = row.string(at: text)
    return Self.digest(of: stored) == row.int64(at: digest) ? stored : nil
  }

  /// Returns true if this program can read a schema.
  static func isReadable(_ text: String) -> Bool { (try? SchemaText.schema(of: text)) != nil }

  /// Returns the verdict on the text of a stored schema, which has another digest than this one.
  func verdict(on stored: String, digest: Int64) -> SchemaVerdict {
    if let known = verdicts.withLock({ $0[digest] }), known.text.utf8.elementsEqual(stored.utf8) {
      return known.verdict
    }
    let verdict = SchemaVerdict(from: stored, to: text)
    verdicts.withLock { verdicts in
      if verdicts.count >= Self.maximumVerdicts { verdicts = [:] }
      verdicts[digest] = (stored, verdict)
    }
    return verdict
  }
}

/// The relation of the schema that a file stores for a type to the program's, by the rules of `dflatc check`.
enum SchemaVerdict: Sendable {
  /// The program's schema may replace the stored one. It is newer, or each may replace the other.
  case replaceable
  /// The stored schema may replace the program's, which is older and lacks these parts of it.
  case newer(UnknownFields?)
  /// Neither may replace the other. The problems are those of the program's schema, as sentences.
  case incompatible(type: String?, problems: [String])
  /// This program can't read the stored schema.
  case unreadable

  init(from stored: String, to declared: String) {
    guard let old = try? SchemaText.schema(of: stored) else {
      self = .unreadable
      return
    }
    let new: Schema
    do throws(SchemaErrors) { new = try SchemaText.schema(of: declared) } catch {
      // A later version of `dflatc` generated the program's code.
      self = .incompatible(type: nil, problems: error.diagnostics.map(Self.sentence))
      return
    }
    // A type with another table has nothing to do with these objects, and `SchemaEvolution` doesn't compare its fields:
    // they start over.
    guard let table = new.rootDefinition?.entityTable, let oldTable = old.rootDefinition?.entityTable, table == oldTable
    else {
      let other = old.rootDefinition.map { "the table '\($0.entityTable)'" } ?? "no table"
      let own = new.rootDefinition.map { "'\($0.entityTable)'" } ?? "one"
      self = .incompatible(type: new.rootName, problems: ["the stored schema describes \(other), not \(own)."])
      return
    }
    let problems = SchemaEvolution.problems(from: old, to: new)
    if problems.isEmpty {
      self = .replaceable
    } else if SchemaEvolution.problems(from: new, to: old).isEmpty {
      self = .newer(UnknownFields(unknownTo: new, in: old))
    } else {
      self = .incompatible(type: new.rootName, problems: problems.map(Self.sentence))
    }
  }

  private static func sentence(_ problem: Diagnostic) -> String { "\(problem.message); \(problem.advice)." }
}

extension Schema {
  fileprivate var rootDefinition: TableDefinition? { files.last?.rootTable.map { tables[$0] } }

  fileprivate var rootName: String? { rootDefinition?.name.description }
}
