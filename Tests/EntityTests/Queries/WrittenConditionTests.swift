import DflatCore
import DflatEntities
import DflatSchema
import GoldenModels
import TestSupport
import Testing

@testable import kvtool

/// Conditions as kvtool reads them, which know the type by the schema in the file.
@Suite struct WrittenConditionTests {
  @Test(
    "Random conditions that are written as text select the same objects as in Swift",
    arguments: [21, 22, 23] as [UInt64])
  func sameAsInSwift(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try QueryModelTests.file(&generator)
    let workspace = try file.open(.complete)
    defer { workspace.shutdown() }
    let table = try #require(try workspace.storedTables().first { $0.name == Sample._entity.table })
    let type = try #require(StoredType(table))
    let writer = try ConditionWriter(type)
    var count = 0
    for _ in 0..<2_000 where count < 400 {
      let predicate = ModelQuery.predicate(&generator, depth: 3)
      guard let text = writer.text(predicate._expression.node) else { continue }
      count += 1
      let node = try PredicateResolver(type: type).condition(PredicateParser.parse(text))
      let found = try DescribedQuery(type.described, where: node).objects(in: workspace) { rowid, _ in rowid }
      let expected = workspace.fetch(for: Sample.self).where(predicate).map(\._rowid)
      #expect(found == expected, "\(text), seed \(seed)")
    }
    #expect(count == 400)
  }

  @Test("Any text is a condition, or has an error in one of its columns", arguments: [31, 32] as [UInt64])
  func anyText(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try QueryModelTests.file(&generator)
    let workspace = try file.open(.missing)
    defer { workspace.shutdown() }
    let type = try #require(try workspace.storedTables().lazy.compactMap { StoredType($0) }.first)
    let parts = [
      "flag", "number", "text", "point.x", "content", "content.caption", "tags", "levels", "`id`", "Low", "1", "-1",
      "1.5", "0xff", "'a'", "\"\u{301}\"", "true", "null", "==", "!=", "<", ">=", "&&", "||", "!", "not", "in", "(",
      ")",
      "[", "]", ",", ".", "+", "-", "%", "contains", "hasPrefix", "equals", "ignoringCase", "matches", "is", "empty",
      "é",
      "'", "\\", "\u{0}", "9223372036854775808", "1e999", "and", "or",
    ]
    var readable = 0
    for _ in 0..<4_000 {
      let count = Int.random(in: 1...9, using: &generator)
      let text = (0..<count).map { _ in RandomSamples.pick(parts, &generator) }.joined(separator: " ")
      do throws(PredicateFailure) {
        let node = try PredicateResolver(type: type).condition(PredicateParser.parse(text))
        readable += 1
        _ = try? DescribedQuery(type.described, where: node).count(in: workspace)
      } catch {
        #expect((1...text.unicodeScalars.count + 1).contains(error.column) && !error.message.isEmpty, "\(text)")
      }
    }
    #expect(readable > 20)
  }
}

/// Writes expressions as text.
private struct ConditionWriter {
  private let fields: [FieldPath: String]
  private let vectors: [VectorPath: String]

  init(_ type: StoredType) throws {
    let names = [
      "flag", "tiny", "unsigned_tiny", "small", "unsigned_small", "number", "unsigned_number", "large",
      "unsigned_large", "real", "precise", "optional_flag", "optional_number", "optional_real", "level",
      "optional_level", "wide", "plain", "id", "text", "code", "point.x", "point.inner.a", "point.inner.level",
      "point.big", "detail.name", "detail.rank", "detail.point.x", "content", "content.TextPart.text",
      "content.TextPart.size", "content.Spot.x", "content.Spot.inner.a", "content.caption", "content.Note.name",
      "numbers", "reals", "levels", "tags", "detail.labels", "content.Note.labels",
    ]
    var (fields, vectors): ([FieldPath: String], [VectorPath: String]) = ([:], [:])
    for name in names {
      let path = try type.schema.queryPath(name.split(separator: ".").map(String.init), ofRoot: type.root)
      if let field = QueryField(path) { fields[field.path] = name }
      if let vector = VectorPath(path) { vectors[vector] = name }
    }
    (self.fields, self.vectors) = (fields, vectors)
  }

  /// Returns a condition as text; nil for one that the grammar hasn't: a constant that isn't finite, sums of small
  /// integers that overflow, and conditions without a field.
  func text(_ node: QueryNode) -> String? {
    switch node {
    case .field: return operand(node)
    case .constant, .arithmetic, .search: return nil
    case .and(let left, let right): return join(text(left), "&&", text(right))
    case .or(let left, let right): return join(text(left), "||", text(right))
    case .not(let operand): return text(operand).map { "!(\($0))" }
    case .isNull(let tested): return operand(tested).map { "\($0) is null" }
    case .comparison(let comparison, let left, let right):
      guard let type = type(of: left) ?? type(of: right) else { return nil }
      let sign = [.equal: "==", .notEqual: "!=", .less: "<", .lessOrEqual: "<="][comparison] ?? "?"
      return join(operand(left, type), sign, operand(right, type))
    case .isIn(let tested, let values):
      guard let type = type(of: tested), let operand = operand(tested) else { return nil }
      let texts = values.compactMap { constant($0, type) }
      return texts.count == values.count ? "\(operand) in [\(texts.joined(separator: ", "))]" : nil
    case .hasPrefix(let tested, let prefix): return operand(tested).map { "\($0) hasPrefix \(quoted(prefix))" }
    // The pattern doesn't keep its text.
    case .matches: return nil
    case .hasElement(let path, let value, let ignoresCase):
      let type: QueryValueType =
        switch path.element {
        case .scalar(let type), .enumeration(let type, _, _): type
        case .string: .string
        }
      guard let name = vectors[path], let constant = constant(value, type) else { return nil }
      return "\(name) contains \(constant)\(ignoresCase ? " ignoringCase" : "")"
    case .isEmpty(let path): return vectors[path].map { "\($0) is empty" }
    }
  }

  private func join(_ left: String?, _ sign: String, _ right: String?) -> String? {
    guard let left, let right else { return nil }
    return "(\(left) \(sign) \(right))"
  }

  private func type(of node: QueryNode) -> QueryValueType? {
    switch node {
    case .field(let field): field.path.type
    case .arithmetic(_, _, _, let type): type
    default: nil
    }
  }

  private func operand(_ node: QueryNode, _ type: QueryValueType? = nil) -> String? {
    switch node {
    case .field(let field): return fields[field.path]
    case .constant(let value): return type.flatMap { constant(value, $0) }
    case .arithmetic(let operation, let left, let right, let type):
      guard [.int64, .uint64, .float, .double].contains(type) else { return nil }
      let sign = [.add: "+", .subtract: "-", .remainder: "%"][operation] ?? "?"
      return join(operand(left, type), sign, operand(right, type))
    default: return nil
    }
  }

  private func constant(_ value: QueryValue, _ type: QueryValueType) -> String? {
    switch value {
    case .null: nil
    case .integer(let number): type == .bool ? number == 0 ? "false" : "true" : "\(number)"
    case .unsigned(let number): "\(number)"
    case .real(let number): number.isFinite ? "\(number)" : nil
    case .text(let text): quoted(text)
    }
  }
}
