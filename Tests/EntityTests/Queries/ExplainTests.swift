import DflatEntities
import DflatKV
import GoldenModels
import Testing
import TestSupport

@Suite struct ExplainTests {
  let file: SampleFile
  let workspace: SQLiteWorkspace
  private let table = Sample._entity.table

  init() throws {
    var generator = SeededGenerator(seed: 1)
    file = try SampleFile((0..<50).map { RandomSamples.sample($0, &generator) })
    workspace = try file.open(.complete)
  }

  private var samples: Query<Sample> { workspace.query(for: Sample.self) }

  /// Returns SQLite's plan of a query.
  private func plan(_ query: Query<Sample>) throws -> [String] { try query.explain().sqlitePlans.flatMap { $0 } }

  @Test("A primary key is looked up in its own index, and nothing is evaluated")
  func primaryKey() throws {
    let explanation = try samples.where(Sample.id == "a1").explain()
    #expect(explanation.sqlitePlans == [["SEARCH \(table) USING INDEX sqlite_autoindex_\(table)_1 (__pk0=?)"]])
    #expect(explanation.indexes == ["id"])
    #expect(!explanation.isEvaluated && !explanation.isSorted)
  }

  @Test("A query with conditions on a primary key and an index looks up the key")
  func keyBeforeIndex() throws {
    let explanation = try samples.where(Sample.number == 5 && Sample.id == "a1").explain()
    #expect(explanation.indexes == ["id"])
    #expect(explanation.isEvaluated)
  }

  @Test("A value is looked up in its index, with the rows in their order")
  func equality() throws {
    let explanation = try samples.where(Sample.number == 5).explain()
    #expect(
      explanation.sqlitePlans == [
        [
          "SEARCH i USING COVERING INDEX index__\(table)__f16 (f16=?)", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        ]
      ])
    #expect(explanation.indexes == ["number"])
    #expect(!explanation.isEvaluated && !explanation.isSorted)
  }

  @Test("The description has the access and each statement with SQLite's plan")
  func description() throws {
    let equal = try samples.where(Sample.number == 5).explain()
    #expect(equal.access == "the rows with one value of number; in the requested order; no predicate is evaluated")
    let lines = ["  " + equal.statements[0]] + equal.sqlitePlans[0].map { "    " + $0 }
    #expect(equal.description == ([equal.access] + lines).joined(separator: "\n"))
    let unequal = try samples.where(Sample.number != 5).orderBy(Sample.real.ascending).explain()
    #expect(unequal.isEvaluated && unequal.access.hasSuffix("the predicate is evaluated on the bytes"))
  }

  @Test("A set of values is looked up in its index")
  func sets() throws {
    let explanation = try samples.where(Sample.number.in([5, 1, 100])).explain()
    #expect(explanation.sqlitePlans.first == ["SEARCH \(table)__f16 USING COVERING INDEX index__\(table)__f16 (f16=?)"])
    #expect(explanation.statements.count == 2)
    #expect(!explanation.isEvaluated)
  }

  @Test("Ranges and prefixes are looked up in their indexes")
  func ranges() throws {
    let range = try samples.where(Sample.unsignedLarge > 5 && Sample.unsignedLarge <= .max).explain()
    #expect(
      range.sqlitePlans.first
        == ["SEARCH \(table)__f22 USING COVERING INDEX index__\(table)__f22 (f22>? AND f22<?)"])
    #expect(!range.isEvaluated && !range.isSorted)
    let prefix = try samples.where(Sample.text.hasPrefix("ab")).explain()
    #expect(
      prefix.sqlitePlans.first == ["SEARCH \(table)__f28 USING COVERING INDEX index__\(table)__f28 (f28>? AND f28<?)"])
    #expect(!prefix.isEvaluated)
  }

  @Test("Conditions that an index doesn't answer are evaluated on the bytes")
  func residual() throws {
    let explanation = try samples.where(Sample.number == 5 && Sample.plain > 1).explain()
    #expect(explanation.indexes == ["number"])
    #expect(explanation.isEvaluated)
  }

  @Test("Each alternative is looked up in its own index")
  func union() throws {
    let explanation = try samples.where(
      Sample.number == 5 || Sample.detail.name == "a" || Sample.content.as(QuerySamples.TextPart.self).text == "b"
    ).explain()
    #expect(explanation.indexes == ["number", "detail.name", "content.as(TextPart.self).text"])
    #expect(explanation.sqlitePlans.allSatisfy { $0.allSatisfy { $0.hasPrefix("SEARCH") } })
    let scan = try samples.where(Sample.number == 5 || Sample.plain == 1).explain()
    #expect(scan.indexes == [])
    #expect(scan.sqlitePlans == [["SCAN \(table)"]])
  }

  @Test("A query in the order of an index is not sorted")
  func orders() throws {
    let ascending = try samples.orderBy(Sample.number.ascending).limit(3).explain()
    #expect(!ascending.isSorted)
    #expect(
      ascending.sqlitePlans == [
        ["SCAN i USING COVERING INDEX index__\(table)__f16", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"]
      ])
    let descending = try samples.orderBy(Sample.number.descending).limit(3).explain()
    #expect(!descending.isSorted)
    #expect(descending.sqlitePlans.first?.first == "SCAN \(table)__f16 USING COVERING INDEX index__\(table)__f16")
    let range = try samples.where(Sample.number > 5).orderBy(Sample.number.ascending).explain()
    #expect(!range.isSorted && !range.isEvaluated)
    #expect(range.sqlitePlans.first?.first == "SEARCH i USING COVERING INDEX index__\(table)__f16 (f16>?)")
    let key = try samples.orderBy(Sample.id.ascending).explain()
    #expect(!key.isSorted)
    #expect(key.sqlitePlans == [["SCAN \(table) USING INDEX sqlite_autoindex_\(table)_1"]])
  }

  @Test("An extreme is explained as the first object in the field's order")
  func extremes() throws {
    let least = samples.where(Sample.number.isNotNull).orderBy(Sample.number.ascending).limit(1)
    let greatest = samples.where(Sample.number.isNotNull).orderBy(Sample.number.descending).limit(1)
    for query in [least, greatest] {
      let explanation = try query.explain()
      #expect(explanation.indexes == ["number"])
      #expect(!explanation.isSorted && explanation.stopsAtLimit)
      #expect(explanation.sqlitePlans.first?.first?.contains("COVERING INDEX index__\(table)__f16") == true)
    }
    #expect(try least.first()?.number == samples.min(of: Sample.number))
    #expect(try greatest.first()?.number == samples.max(of: Sample.number))
    let unindexed = samples.where(Sample.plain.isNotNull).orderBy(Sample.plain.ascending).limit(1)
    let explanation = try unindexed.explain()
    #expect(explanation.isSorted && !explanation.stopsAtLimit && explanation.indexes == [])
    #expect(try unindexed.first()?.plain == samples.min(of: Sample.plain))
  }

  @Test("A query is sorted if no index has its order")
  func ordersWithoutAnIndex() throws {
    #expect(try samples.orderBy(Sample.plain.ascending).explain().isSorted)
    #expect(try samples.orderBy([Sample.number.ascending, Sample.plain.ascending]).explain().isSorted)
    #expect(try samples.orderBy([[5, 1].firstIndex(of: Sample.number)]).explain().isSorted)
    // Columns hold numbers of enums that aren't known.
    #expect(try samples.orderBy(Sample.point.inner.level.ascending).explain().isSorted)
    // All matches have one value there.
    #expect(try !samples.where(Sample.plain == 1).orderBy(Sample.plain.ascending).explain().isSorted)
  }

  @Test("An enum's default stands for the numbers that the schema doesn't know")
  func enums() throws {
    let known = try samples.where(Sample.level == .high).explain()
    #expect(known.statements.count == 1 && known.indexes == ["level"])
    let standard = try samples.where(Sample.level == .middle).explain()
    #expect(standard.indexes == ["level"])
    #expect(standard.sqlitePlans.allSatisfy { $0.allSatisfy { $0.hasPrefix("SEARCH") } })
    #expect(!standard.isEvaluated)
  }

  @Test("Searches in texts and vectors are evaluated on the bytes")
  func searches() throws {
    for query in [
      samples.where(Sample.text.contains("a")), samples.where(Sample.text.hasSuffix("a")),
      samples.where(Sample.text.hasPrefix("a", ignoringCase: true)), samples.where(Sample.tags.contains("a")),
      samples.where(!Sample.numbers.isEmpty),
    ] {
      let explanation = try query.explain()
      #expect(explanation.isEvaluated && explanation.sqlitePlans == [["SCAN \(table)"]])
      #expect(explanation.stopsAtLimit)
    }
    let known = try samples.where(Sample.text.contains("a") && Sample.number == 5).explain()
    #expect(known.isEvaluated && known.indexes == ["number"])
    #expect(try samples.where(Sample.text.isEmpty).explain().indexes == ["text"])
    #expect(try !samples.where(Sample.text.contains("")).explain().isEvaluated)
  }

  @Test("A predicate that can't be true reads no rows")
  func never() throws {
    for query in [
      samples.where(Sample.number == 5 && Sample.number > 6), samples.where(Sample.real == .nan),
      samples.where(Sample.text.in([])), samples.where(Sample.flag && false),
    ] {
      #expect(try query.explain().statements == [])
      #expect(try query.fetch().isEmpty)
    }
  }

  @Test("An incomplete index isn't used, and the explanation names it")
  func incomplete() throws {
    for indexes in [SampleFile.Indexes.partial, .missing] {
      let workspace = try file.open(indexes)
      let explanation = try workspace.query(for: Sample.self).where(Sample.number == 5).explain()
      #expect(explanation.indexes == [])
      #expect(explanation.incompleteIndexes == ["number"])
      #expect(explanation.sqlitePlans == [["SCAN \(table)"]])
      #expect(explanation.description.contains("number"))
    }
  }
}
