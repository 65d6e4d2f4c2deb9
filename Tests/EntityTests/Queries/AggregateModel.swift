import DflatEntities
import TestSupport
import Testing

/// The aggregates over one field of a sample, computed in plain Swift.
struct AggregateModel: Sendable {
  /// Compares a query's aggregates with those of the objects that it finds, which come in the order in which
  /// floating-point numbers are added.
  let check: @Sendable (Query<Sample>, [Sample], _ text: String) throws -> Void

  private init<T: DflatFriendlyValue>(
    _ field: FieldExpr<T, Sample>, _ get: @escaping @Sendable (Sample) -> T?,
    sums: @escaping @Sendable (Query<Sample>, [T], _ text: String) throws -> Void = { _, _, _ in }
  ) {
    check = { query, found, text in
      let values = found.compactMap(get)
      let numbers = values.filter { !$0.isNaN }
      #expect(try token(query.min(of: field)) == token(numbers.min(by: precedes)), "min of \(field.name): \(text)")
      #expect(try token(query.max(of: field)) == token(numbers.max(by: precedes)), "max of \(field.name): \(text)")
      var counts: [String: Int] = [:]
      for object in found { counts[token(get(object)), default: 0] += 1 }
      let groups = try query.counts(by: field)
      #expect(groups.allSatisfy { counts[token($0.value)] == $0.count }, "groups of \(field.name): \(text)")
      #expect(groups.count == counts.count, "groups of \(field.name): \(text)")
      let distinct = counts.keys.count { $0 != token(T?.none) }
      #expect(try query.count(distinct: field) == distinct, "distinct of \(field.name): \(text)")
      let sorted = zip(groups, groups.dropFirst()).allSatisfy { left, right in
        guard let first = left.value, let second = right.value else { return left.value == nil }
        return second.isNaN || precedes(first, second)
      }
      #expect(sorted, "order of the groups of \(field.name): \(text)")
      try sums(query, values, text)
    }
  }

  private init<T: FixedWidthInteger & DflatFriendlyValue>(
    integers field: FieldExpr<T, Sample>, _ get: @escaping @Sendable (Sample) -> T?
  ) {
    self.init(field, get) { query, values, text in
      let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
      let (foundSum, foundAverage) = (try query.sum(of: field), try query.average(of: field))
      #expect(foundSum == sum, "sum of \(field.name): \(text)")
      let average = values.isEmpty ? nil : Double(sum) / Double(values.count)
      #expect(foundAverage == average, "average of \(field.name): \(text)")
    }
  }

  private init<T: BinaryFloatingPoint & DflatFriendlyValue>(
    reals field: FieldExpr<T, Sample>, _ get: @escaping @Sendable (Sample) -> T?
  ) {
    self.init(field, get) { query, values, text in
      let sum = values.reduce(Double(0)) { $0 + Double($1) }
      let (foundSum, foundAverage) = (try query.sum(of: field), try query.average(of: field))
      #expect(token(foundSum) == token(sum), "sum of \(field.name): \(text)")
      let average = values.isEmpty ? nil : sum / Double(values.count)
      #expect(token(foundAverage) == token(average), "average of \(field.name): \(text)")
    }
  }

  static let all: [AggregateModel] = [
    AggregateModel(Sample.flag) { $0.flag }, AggregateModel(integers: Sample.tiny) { $0.tiny },
    AggregateModel(integers: Sample.unsignedTiny) { $0.unsignedTiny },
    AggregateModel(integers: Sample.small) { $0.small },
    AggregateModel(integers: Sample.unsignedSmall) { $0.unsignedSmall },
    AggregateModel(integers: Sample.number) { $0.number },
    AggregateModel(integers: Sample.unsignedNumber) { $0.unsignedNumber },
    AggregateModel(integers: Sample.large) { $0.large },
    AggregateModel(integers: Sample.unsignedLarge) { $0.unsignedLarge },
    AggregateModel(reals: Sample.real) { $0.real }, AggregateModel(reals: Sample.precise) { $0.precise },
    AggregateModel(integers: Sample.optionalNumber) { $0.optionalNumber },
    AggregateModel(reals: Sample.optionalReal) { $0.optionalReal }, AggregateModel(Sample.level) { $0.level },
    AggregateModel(Sample.optionalLevel) { $0.optionalLevel }, AggregateModel(Sample.wide) { $0.wide },
    AggregateModel(integers: Sample.plain) { $0.plain }, AggregateModel(Sample.id) { $0.id },
    AggregateModel(Sample.text) { $0.text }, AggregateModel(Sample.code) { $0.code },
    AggregateModel(reals: Sample.point.x) { $0.point?.x },
    AggregateModel(integers: Sample.detail.rank) { $0.detail?.rank },
    AggregateModel(Sample.detail.name) { $0.detail?.name },
    AggregateModel(integers: Sample.content._type) { $0.content.map { Int32($0.flatBufferKind) } },
  ]
}

/// Identifies a value as queries do: texts by their bytes, and both zeros as one value.
private func token<T: DflatFriendlyValue>(_ value: T?) -> String {
  switch value {
  case nil: "nil"
  case let text as String: "\(Array(text.utf8))"
  case let number as Double where number == 0: "0"
  case let number as Float where number == 0: "0"
  case let value?: value.isNaN ? "nan" : "\(value)"
  }
}

private func precedes<T: DflatFriendlyValue>(_ left: T, _ right: T) -> Bool {
  if let left = left as? String, let right = right as? String { return left.utf8.lexicographicallyPrecedes(right.utf8) }
  return left < right
}
