import DflatEntities
import GoldenModels
import TestSupport
import Testing

/// Constraints on single fields that a predicate implies, and keys of several fields.
@Suite struct ConstraintTests {
  private func constraints(_ expression: some Expr<Bool, Sample>) -> QueryConstraints {
    expression._expression.node.constraints
  }

  private func constraint(_ expression: some Expr<Bool, Sample>) -> FieldConstraint? {
    constraints(expression).fields[Sample.number.field.path]
  }

  private func range(_ lower: Int64?, _ upper: Int64?, isInclusive: Bool = true) -> FieldConstraint {
    var range = ValueRange()
    range.lower = lower.map { ValueRange.Bound(value: .integer($0), isInclusive: isInclusive) }
    range.upper = upper.map { ValueRange.Bound(value: .integer($0), isInclusive: isInclusive) }
    return .range(range)
  }

  @Test("A conjunction intersects the constraints of a field")
  func conjunctions() {
    #expect(constraint(Sample.number == 5) == .equal(to: [.integer(5)]))
    #expect(constraint(Sample.number >= 5 && Sample.number <= 9) == range(5, 9))
    #expect(constraint(5 < Sample.number && 9 > Sample.number) == range(5, 9, isInclusive: false))
    #expect(constraint(Sample.number.in([1, 5, 9]) && Sample.number > 4) == .equal(to: [.integer(5), .integer(9)]))
    #expect(constraints(Sample.number == 5 && Sample.number == 6).isNever)
    #expect(constraints(Sample.number > 5 && Sample.number < 5).isNever)
    #expect(constraints(Sample.number >= 7 && Sample.number <= 5).isNever)
    #expect(constraints(Sample.number == 5 && Sample.flag).fields.count == 2)
  }

  @Test("Of two bounds at one value, a conjunction keeps the exclusive and a disjunction the other")
  func boundsAtOneValue() {
    let (above, from, below, to) = (Sample.number > 5, Sample.number >= 5, Sample.number < 5, Sample.number <= 5)
    for pair in [constraint(above && from), constraint(from && above), constraint(above && above)] {
      #expect(pair == range(5, nil, isInclusive: false))
    }
    #expect(constraint(from && from) == range(5, nil))
    for pair in [constraint(below && to), constraint(to && below), constraint(below && below)] {
      #expect(pair == range(nil, 5, isInclusive: false))
    }
    #expect(constraint(to && to) == range(nil, 5))
    for pair in [constraint(above || from), constraint(from || above), constraint(from || from)] {
      #expect(pair == range(5, nil))
    }
    #expect(constraint(above || above) == range(5, nil, isInclusive: false))
    for pair in [constraint(below || to), constraint(to || below), constraint(to || to)] {
      #expect(pair == range(nil, 5))
    }
    #expect(constraint(below || below) == range(nil, 5, isInclusive: false))
    #expect(constraint(from && to) == range(5, 5))
    for pair in [constraints(above && to), constraints(from && below), constraints(above && below)] {
      #expect(pair.isNever)
    }
  }

  @Test("A disjunction unites the constraints of a field")
  func alternatives() {
    #expect(constraint(Sample.number == 5 || Sample.number == 6) == .equal(to: [.integer(5), .integer(6)]))
    #expect(constraint(Sample.number == 5 || Sample.number == nil) == .equal(to: [.integer(5), .null]))
    // No range has the rows without a value.
    #expect(constraint(Sample.number == nil || Sample.number > 5) == nil)
    #expect(constraint(Sample.number > 5 || Sample.number == nil) == nil)
    #expect(!constraints(Sample.number == nil || Sample.number > 5).isExact)
    #expect(constraint(Sample.number.between(1...3) || Sample.number.between(7...9)) == range(1, 9))
    #expect(!constraints(Sample.number.between(1...3) || Sample.number.between(7...9)).isExact)
    #expect(constraint(Sample.number == 5 || Sample.flag) == nil)
    #expect(
      constraint((Sample.number == 5 && Sample.flag) || Sample.number == 6) == .equal(to: [.integer(5), .integer(6)]))
    #expect(!constraints((Sample.number == 5 && Sample.flag) || Sample.number == 6).isExact)
  }

  @Test("A negation has the constraints of the opposite condition")
  func negations() {
    #expect(constraint(!(Sample.number < 5)) == range(5, nil))
    #expect(constraint(!(Sample.number == 5 || Sample.number < 9)) == range(9, nil))
    #expect(constraint(!(Sample.number != 5)) == .equal(to: [.integer(5)]))
    #expect(constraint(Sample.number.isNotNull) == range(nil, nil))
    #expect(constraints(Sample.number.isNotNull).isExact && !constraints(Sample.number != 5).isExact)
    #expect(!constraints(!(Sample.real < 5)).isExact, "true of NaN")
    #expect(constraints(!Sample.flag).fields.values.first == .equal(to: [.integer(0)]))
  }

  @Test("A prefix is a range of bytes", arguments: ["a", "a\u{10ffff}", "\u{d7ff}", "\u{7f}", "e\u{301}"])
  func prefixes(prefix: String) throws {
    #expect(constraints(Sample.text.hasPrefix("")).fields[Sample.text.field.path] == .range(ValueRange()))
    let found = try #require(constraints(Sample.text.hasPrefix(prefix)).fields[Sample.text.field.path])
    for suffix in ["", "\0", "x", "\u{10ffff}"] { #expect(found.contains(.text(prefix + suffix))) }
    for other in ["", "A", "\u{e000}x", "b", "f", "\u{80}"] where !other.utf8.starts(with: prefix.utf8) {
      #expect(!found.contains(.text(other)))
    }
  }

  @Test("A search for a part of a text or for an element constrains no field")
  func searches() {
    for search in [
      constraints(Sample.text.contains("a")), constraints(!Sample.text.contains("a")),
      constraints(Sample.text.hasSuffix("a")), constraints(Sample.text.hasPrefix("a", ignoringCase: true)),
      constraints(Sample.text.equals("", ignoringCase: true)), constraints(Sample.tags.contains("a")),
      constraints(!Sample.tags.contains("a")), constraints(Sample.tags.isEmpty), constraints(!Sample.tags.isEmpty),
      constraints(!Sample.reals.contains(.nan)),
    ] { #expect(search.fields.isEmpty && !search.isNever && !search.isExact) }
    #expect(constraints(Sample.reals.contains(.nan)).isNever)
    // All texts have the empty one.
    for search in [Sample.text.contains(""), Sample.text.hasSuffix(""), Sample.text.hasPrefix("", ignoringCase: true)] {
      #expect(constraints(search).fields.values.first == .range(ValueRange()) && constraints(search).isExact)
      #expect(constraints(!search).isNever)
    }
    // These are other conditions in disguise.
    let path = Sample.text.field.path
    #expect(constraints(Sample.text.isEmpty).fields[path] == .equal(to: [.text("")]))
    #expect(constraints(Sample.text.equals("a", ignoringCase: false)).fields[path] == .equal(to: [.text("a")]))
    #expect(
      constraints(Sample.text.hasPrefix("a", ignoringCase: false)).fields
        == constraints(Sample.text.hasPrefix("a")).fields)
  }

  @Test("Constraints of random predicates are necessary, and sufficient if they are exact")
  func random() throws {
    var generator = SeededGenerator(seed: 11)
    let samples = (0..<60).map { RandomSamples.sample($0, &generator) }
    let encoded = samples.map { Array($0.toData()) }
    for _ in 0..<600 {
      let predicate = ModelQuery.predicate(&generator, depth: 3)
      let constraints = predicate._expression.node.constraints
      for (sample, bytes) in zip(samples, encoded) {
        let isFulfilled =
          try !constraints.isNever
          && constraints.fields.allSatisfy { path, constraint in
            constraint.contains(try bytes.withUnsafeBytes { try path.value(in: $0) })
          }
        let isTrue = predicate.model(sample) == true
        #expect(!isTrue || isFulfilled, "\(predicate.text) of \(sample.id)")
        if constraints.isExact { #expect(isTrue == isFulfilled, "\(predicate.text) of \(sample.id)") }
      }
    }
  }

  @Test("A lookup of an enum key's default finds several rows, as unknown numbers count as it")
  func enumKeys() throws {
    let path = FieldPath(
      .enumeration(4, .int8, default: .integer(0), known: [.integer(0), .integer(1)]))
    let entity = EntityDescription("enum_key_tests", primaryKey: [EntityField("kind", path)])
    let isDefault = QueryNode.comparison(.equal, .field(QueryField(path, keyPosition: 0)), .constant(.integer(0)))
    if case .row = try QueryPlanner.plan(isDefault, for: entity, isComplete: { _ in true }).rows {
      Issue.record("Rows with other numbers match too.")
    }
  }

  @Test("Keys of several fields are searched by their first ones")
  func compositeKeys() throws {
    let first = QueryField(FieldPath(.string(4)), keyPosition: 0)
    let second = QueryField(FieldPath(.scalar(6, .int32, default: .integer(0))), keyPosition: 1)
    let entity = EntityDescription(
      "constraint_tests", primaryKey: [EntityField("first", first.path), EntityField("second", second.path)])
    func plan(_ node: QueryNode) throws -> QueryPlan { try QueryPlanner.plan(node, for: entity) { _ in true } }
    let isFirst = QueryNode.comparison(.equal, .field(first), .constant(.text("a")))
    let isSecond = QueryNode.comparison(.equal, .field(second), .constant(.integer(1)))
    let isMore = QueryNode.comparison(.less, .constant(.integer(1)), .field(second))
    guard case .row(let key) = try plan(.and(isSecond, isFirst)).rows else {
      Issue.record("Both fields are a key.")
      return
    }
    #expect(key == [.text("a"), .integer(1)])
    guard case .found(let searches) = try plan(.and(isFirst, isMore)).rows else {
      Issue.record("The second field is a range.")
      return
    }
    #expect(searches.map(\.values) == [[.text("a")]])
    #expect(searches[0].range?.lower?.value == .integer(1))
    guard case .scan = try plan(isSecond).rows else {
      Issue.record("The second field alone finds nothing.")
      return
    }
    let set = QueryNode.isIn(.field(first), [.text("a"), .text("b")])
    guard case .found(let both) = try plan(.and(set, isSecond)).rows else {
      Issue.record("Both values are looked up with the second field.")
      return
    }
    #expect(Set(both.map(\.values)) == [[.text("a"), .integer(1)], [.text("b"), .integer(1)]])
  }
}
