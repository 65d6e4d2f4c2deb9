import DflatKV
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

extension Item {
  /// An object with random fields, of few values each.
  static func random(_ key: String, using random: inout SeededGenerator) -> Item {
    Item(key) { $0.scramble(using: &random) }
  }
}

extension ItemFields {
  mutating func scramble(using random: inout SeededGenerator) {
    count = Int32.random(in: 0...10, using: &random)
    color = Int8.random(in: 0...Int8(S.version), using: &random)
    let number = Int.random(in: 0...12, using: &random)
    content =
      switch Int.random(in: 0...S.version, using: &random) {
      case 1: .text("t\(number)")
      case 2: .image("i\(number)")
      case 3: .caption("c\(number)")
      default: nil
      }
    if S.version == 1 { old = Bool.random(using: &random) ? "o\(number % 4)" : nil }
    if S.version >= 2 { rating = [nil, .nan, 0, -0.0, 0.5, -.infinity, Double(number)].randomElement(using: &random)! }
    if S.version == 2 { serial = [7, 0, .max, 1 << 63, UInt64(number)].randomElement(using: &random)! }
  }
}

/// Changes a few rows at random, as a program with the schema would.
func writeAtRandom<S: ItemSchema>(
  _ schema: S.Type, to workspace: SQLiteWorkspace, _ count: Int = 3, using random: inout SeededGenerator
) throws {
  var generator = random
  try workspace.transactAndWait([Item<S>.self]) { txn in
    for _ in 0..<count {
      let all = try txn.query(for: Item<S>.self).fetch()
      let victim = all.randomElement(using: &generator)
      switch (Int.random(in: 0...3, using: &generator), victim) {
      case (0, let victim?): try txn.delete(victim)
      case (1, let victim?), (2, let victim?): try txn.update(victim) { $0.fields.scramble(using: &generator) }
      default:
        try txn.insert(Item<S>.random("key \(UInt64.random(in: 0 ... .max, using: &generator))", using: &generator))
      }
    }
  }
  random = generator
}

/// Fills an index by hand, a step at a time.
func step(_ filler: inout IndexFill, on workspace: SQLiteWorkspace) throws -> IndexFill.Outcome {
  var next = filler
  let outcome = try workspace.transactAndWait { txn in
    next = filler
    return try next.step(in: try txn.joinedGroup())
  }
  filler = next
  return outcome
}

/// Fills an index by hand, to its end.
func fill<S: ItemSchema>(_ field: String, of schema: S.Type, on workspace: SQLiteWorkspace) throws {
  var filler = try IndexFill(of: schema, field)
  while try step(&filler, on: workspace) == .more {}
}

extension IndexFill {
  init<S: ItemSchema>(of schema: S.Type, _ field: String, rowsInStep: Int = rowsInStep) throws {
    let index = try #require(S.entity.indexes.first { $0.name == field })
    self.init(Job(entity: S.entity, index: index), rowsInStep: rowsInStep)
  }
}

/// Returns the file's entry for a type's index, or nil if there is none.
func entry<S: ItemSchema>(_ field: String, of schema: S.Type, in workspace: SQLiteWorkspace) throws -> IndexEntry? {
  let index = try #require(S.entity.indexes.first { $0.name == field })
  return try workspace.fetchWithinASnapshot {
    try workspace.core.withCurrentView { connection, _ in
      try IndexCatalog.entries(of: S.entity, on: connection).first { $0.isOver(index.paths) }
    } ?? nil
  }
}

func expectStep(
  _ filler: inout IndexFill, on workspace: SQLiteWorkspace, _ expected: IndexFill.Outcome,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let outcome = try step(&filler, on: workspace)
  #expect(outcome == expected, sourceLocation: sourceLocation)
}
