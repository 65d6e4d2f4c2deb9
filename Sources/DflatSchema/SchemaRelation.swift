import DflatSupport

/// The relation of the schema that a file stores to a program's, by the rules of `dflatc check`.
package enum SchemaRelation: Sendable {
  /// The program's schema may replace the stored one. It is newer, or each may replace the other.
  case replaceable
  /// The stored schema may replace the program's, which is older.
  case newer(stored: Schema, declared: Schema)
  /// Neither may replace the other. The problems are those of the program's schema, as sentences.
  case incompatible(type: String?, problems: [String])
  /// This program can't read the stored schema.
  case unreadable

  /// Compares two canonical texts (`SchemaText`).
  ///
  /// - Parameters:
  ///   - stored: The text in the file.
  ///   - declared: The program's text.
  ///   - noun: The noun for the place in which values of a root are stored: "table".
  ///   - place: Returns the name of that place. Values in different places have nothing to do with each other, and
  ///     `SchemaEvolution` doesn't compare their fields: they start over.
  package init(from stored: String, to declared: String, noun: String, place: (TableDefinition) -> String) {
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
    // Both schemas must describe the same place.
    guard let root = new.rootDefinition, let oldRoot = old.rootDefinition, place(root).hasSameBytes(as: place(oldRoot))
    else {
      let other = old.rootDefinition.map { "the \(noun) '\(place($0))'" } ?? "no \(noun)"
      let own = new.rootDefinition.map { "'\(place($0))'" } ?? "one"
      self = .incompatible(
        type: new.rootDefinition?.name.description, problems: ["the stored schema describes \(other), not \(own)."])
      return
    }
    // The declared schema may replace the stored one, or is the older of the two, or they contradict each other.
    let problems = SchemaEvolution.problems(from: old, to: new)
    if problems.isEmpty {
      self = .replaceable
    } else if SchemaEvolution.problems(from: new, to: old).isEmpty {
      self = .newer(stored: old, declared: new)
    } else {
      self = .incompatible(type: root.name.description, problems: problems.map(Self.sentence))
    }
  }

  /// Returns true if this program can read a stored text.
  package static func isReadable(_ text: String) -> Bool { (try? SchemaText.schema(of: text)) != nil }

  private static func sentence(_ problem: Diagnostic) -> String { "\(problem.message); \(problem.advice)." }
}

extension Schema {
  fileprivate var rootDefinition: TableDefinition? { files.last?.rootTable.map { tables[$0] } }
}
