import DflatEntities
import GoldenModels
import Testing
import TestSupport

@Suite struct QueryModelTests {
  @Test(
    "Queries with complete, partial and no indexes give the same results as plain Swift",
    arguments: [1, 2, 3, 4] as [UInt64])
  func everyPath(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try Self.file(&generator)
    let workspaces = try SampleFile.Indexes.allCases.map { ($0, try file.open($0)) }
    defer { for (_, workspace) in workspaces { workspace.shutdown() } }
    for _ in 0..<250 {
      let query = ModelQuery(&generator)
      let expected = query.result(file.samples)
      for (indexes, workspace) in workspaces {
        let live = query.query(in: workspace)
        let text = "\(query.text), \(indexes), seed \(seed)"
        let found = try live.fetch()
        guard found.map(\._rowid) == expected.map(\._rowid) else {
          Issue.record("\(text): \(found.map(\._rowid)) instead of \(expected.map(\._rowid))\n\(try live.explain())")
          return
        }
        #expect(found.map(\.id) == expected.map(\.id), "\(text)")
        #expect(try live.count() == expected.count, "\(text)")
        #expect(try live.exists() == !expected.isEmpty, "\(text)")
        #expect(try live.first()?._rowid == expected.first?._rowid, "\(text)")
        guard indexes == .complete else { continue }
        #expect(try live.assumingSize(1).fetch().map(\._rowid) == expected.map(\._rowid), "\(text), in order")
      }
    }
  }

  /// The fields of each index of `Sample` over several fields.
  private static let several: [[String]] = Sample._entity.indexes.filter { $0.fields.count > 1 }.map {
    $0.fields.map(\.name)
  }

  @Test("Queries on the fields of one index give the same results as plain Swift", arguments: [11, 12] as [UInt64])
  func severalFields(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try Self.file(&generator)
    let workspaces = try SampleFile.Indexes.allCases.map { ($0, try file.open($0)) }
    defer { for (_, workspace) in workspaces { workspace.shutdown() } }
    let fields = Dictionary(uniqueKeysWithValues: SampleFields.all.map { ($0.name, $0) })
    var used: Set<String> = []
    for _ in 0..<300 {
      let index = try RandomSamples.pick(Self.several, &generator).map { try #require(fields[$0]) }
      let query = Self.query(of: index, in: file, &generator)
      let expected = query.result(file.samples).map(\._rowid)
      for (indexes, workspace) in workspaces {
        let live = query.query(in: workspace)
        used.formUnion(try live.explain().indexes)
        for live in [live, live.assumingSize(1)] {
          let found = try live.fetch().map(\._rowid)
          guard found == expected, try live.count() == expected.count else {
            Issue.record(
              "\(query.text), \(indexes), seed \(seed): \(found) instead of \(expected)\n\(try live.explain())")
            return
          }
          #expect(try live.exists() == !expected.isEmpty && live.first()?._rowid == expected.first)
        }
      }
    }
    #expect(used.isSuperset(of: Self.several.map { $0.joined(separator: ", ") }))
  }

  /// Returns a query with conditions on the first fields of an index, many of which a sample meets, perhaps one on the
  /// next, and perhaps in the order of one or two fields.
  private static func query(
    of index: [ModelField], in file: SampleFile, _ generator: inout SeededGenerator
  ) -> ModelQuery {
    let count = Int.random(in: 0...index.count, using: &generator)
    let sample = RandomSamples.pick(file.samples, &generator)
    var conditions = index.prefix(count).map { $0.equality(sample) }
    if count < index.count, Bool.random(using: &generator) { conditions.append(index[count].predicate(&generator)) }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      conditions.append(RandomSamples.pick(SampleFields.all, &generator).predicate(&generator))
    }
    var predicate: ModelPredicate?
    for condition in conditions { predicate = predicate.map { $0.and(condition) } ?? condition }
    let orders = index.dropFirst(min(count, index.count - 1)).prefix(Int.random(in: 0...2, using: &generator)).map {
      $0.order(&generator)
    }
    return ModelQuery(
      predicate, orders, limit: RandomSamples.pick([nil, 1, 2, 5, 1000], &generator),
      offset: RandomSamples.pick([0, 0, 1, 3], &generator))
  }

  @Test("Predicates evaluated on objects give the same results as plain Swift")
  func onObjects() throws {
    var generator = SeededGenerator(seed: 5)
    let samples = (0..<60).map { RandomSamples.sample($0, &generator) }
    for _ in 0..<300 {
      let predicate = ModelQuery.predicate(&generator, depth: 2)
      for sample in samples {
        let value = predicate.evaluate(object: sample)
        #expect(value == predicate.model(sample), "\(predicate.text) of \(sample.id)")
      }
    }
  }

  /// Objects with and without values, some with numbers of enums and unions that the schema doesn't know.
  static func file(_ generator: inout SeededGenerator) throws -> SampleFile {
    var patches: [(inout SamplePatcher) throws -> Void] = []
    for rowid in stride(from: Int64(3), to: 80, by: 7) {
      patches.append { try $0.set(UInt8(70 + rowid % 5), atSlot: 38, ofRow: rowid) }
      patches.append { try $0.set(0, atSlot: 40, ofRow: rowid + 1) }
      patches.append { try $0.set(200, atSlot: 48, ofRow: rowid + 2) }
      patches.append { try $0.set(17, atSlot: 42, ofRow: rowid + 3) }
      patches.append { try $0.set(99, inVectorAtSlot: 60, ofRow: rowid + 4) }
    }
    return try SampleFile((0..<90).map { RandomSamples.sample($0, &generator) }, patches: patches)
  }
}

/// A random query, and its result in plain Swift.
struct ModelQuery {
  let predicate: ModelPredicate?
  let orders: [ModelOrder]
  let limit: Int?
  let offset: Int

  init(_ predicate: ModelPredicate?, _ orders: [ModelOrder], limit: Int?, offset: Int) {
    self.predicate = predicate
    self.orders = orders
    self.limit = limit
    self.offset = offset
  }

  init(_ generator: inout SeededGenerator) {
    predicate = Int.random(in: 0..<12, using: &generator) == 0 ? nil : Self.predicate(&generator, depth: 3)
    orders = (0..<RandomSamples.pick([0, 0, 1, 1, 1, 2, 3], &generator)).map { _ in
      RandomSamples.pick(SampleFields.all, &generator).order(&generator)
    }
    limit = RandomSamples.pick([nil, nil, 0, 1, 2, 5, 10, 1000], &generator)
    offset = RandomSamples.pick([0, 0, 0, 1, 3, 50], &generator)
  }

  static func predicate(_ generator: inout SeededGenerator, depth: Int) -> ModelPredicate {
    let choice = Int.random(in: 0..<8, using: &generator)
    if depth > 0, choice < 2 {
      return predicate(&generator, depth: depth - 1).and(predicate(&generator, depth: depth - 1))
    }
    if depth > 0, choice < 4 {
      return predicate(&generator, depth: depth - 1).or(predicate(&generator, depth: depth - 1))
    }
    if depth > 0, choice == 4 { return predicate(&generator, depth: depth - 1).negated }
    if choice == 5 { return SampleFields.vectorTest(&generator) }
    return RandomSamples.pick(SampleFields.all, &generator).predicate(&generator)
  }

  var text: String {
    "\(predicate?.text ?? "all") by \(orders.map(\.text)) limit \(limit.map(String.init) ?? "none") offset \(offset)"
  }

  func query(in workspace: SQLiteWorkspace) -> Query<Sample> {
    var query = workspace.query(for: Sample.self).orderBy(orders.map(\.order)).offset(offset)
    if let predicate { query = query.where(predicate) }
    if let limit { query = query.limit(limit) }
    return query
  }

  func result(_ samples: [Sample]) -> [Sample] {
    let matches = samples.filter { predicate?.model($0) ?? (predicate == nil) }
    let sorted = matches.sorted { left, right in
      for order in orders {
        if order.precedes(left, right) { return true }
        if order.precedes(right, left) { return false }
      }
      return left._rowid < right._rowid
    }
    return Array(sorted.dropFirst(offset).prefix(limit ?? .max))
  }
}
