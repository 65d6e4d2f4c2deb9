import Testing

@testable import DflatKVBenchmarks

@Suite struct DocumentTests {
  @Test(arguments: [1, 6, 1_000, 10_000])
  func queriesMatchAsManyDocumentsAsTheySay(count: Int) {
    let drafts = DocumentDraft.list(count)
    #expect(drafts.count { $0.priority > 0 } == FieldQuery.priority.matches(of: count))
    #expect(drafts.count { $0.color == .blue } == FieldQuery.color.matches(of: count))
  }

  @Test(arguments: [30, 31, 32, 100_000])
  func highestPriorityIsThatOfTheLastBlueDocument(count: Int) {
    let blue = DocumentDraft.ranked(count).filter { $0.color == .blue }
    #expect(blue.map(\.priority).max() == OrderedFetchWorks.highest(of: count))
  }

  @Test func numbersAreThoseOfTheOriginal() {
    #expect(FieldQuery.priority.matches(of: 10_000) == 1_667)
    #expect(FieldQuery.color.matches(of: 10_000) == 3_334)
  }

  @Test func everyDocumentOfARangeRotatesOutOfItAndAsManyInto() {
    let observers = DocumentObservers.ranges(1_000)
    let revision = observers.revision(1, of: 10_000)
    let old = DocumentDraft.ranked(10_000).map(\.priority)
    let new = old.map(revision.priority)
    let ranges = observers.ranges(of: 10_000)
    #expect(ranges.count == 1_000)
    #expect(Set(ranges.map(\.lowerBound)).count == 1_000)
    for range in ranges {
      #expect(old.count { range.contains($0) } == 1_000)
      #expect(new.count { range.contains($0) } == 1_000)
      #expect(!zip(old, new).contains { range.contains($0) && range.contains($1) })
    }
  }

  @Test func everyUpdateChangesEveryDocument() {
    let (first, second) = (DocumentRevision(1), DocumentRevision(2))
    let document = BenchDoc(DocumentDraft.list(1)[0])
    #expect(document.revised(first) != document)
    #expect(document.revised(first).revised(second) != document.revised(first))
    #expect(document.revised(first).title == document.title)
  }

  @Test func observedDocumentsAreSpreadOverAll() {
    let titles = DocumentObservers.objects.titles(of: 10_000)
    #expect(Set(titles).count == 1_000)
    #expect(Set(titles).isSubset(of: DocumentDraft.list(10_000).map(\.title)))
  }
}
