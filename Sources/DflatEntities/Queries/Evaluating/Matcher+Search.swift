import DflatBuffers
import DflatCore

/// A full-text search in the texts of an object, by the module that searches the indexes.
final class SearchMatcher: Matcher {
  private let match: SearchMatch
  private let reader: SearchReader
  /// The compiled search. Compiling needs an evaluator, so it waits for the first object.
  private let compiled = Lock<SearchExpression?>(nil)

  init(_ match: SearchMatch) {
    self.match = match
    reader = SearchReader(match.paths)
  }

  func truth(of row: FlatBufferTable) throws(FlatBufferError) -> Truth {
    let texts = try reader.texts(in: row)
    if texts.allSatisfy({ $0 == nil }) { return .unknown }
    do {
      return try SearchEvaluator.lend { evaluator in
        guard let expression = try expression(evaluator).text else { return .no }
        return Truth(try evaluator.matches(expression, texts))
      }
    } catch {
      // A query has made sure that SQLite can search. A search of one text then fails only for want of memory.
      throw FlatBufferError(.tooMuchMemory)
    }
  }

  private func expression(_ evaluator: SearchEvaluator) throws -> SearchExpression {
    if let found = compiled.withLock({ $0 }) { return found }
    let made = try match.expression(evaluator)
    compiled.withLock { $0 = made }
    return made
  }
}
