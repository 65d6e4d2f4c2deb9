/// Who observes documents, each of whom every update tells something.
enum DocumentObservers {
  /// 1,000 live queries, each by the primary key.
  case queriesOfOne
  /// 1,000 objects.
  case objects
  /// Live queries of a tenth of the objects each, by ranges of the priority that overlap.
  case ranges(Int)

  var count: Int {
    switch self {
    case .queriesOfOne, .objects: 1_000
    case .ranges(let count): count
    }
  }

  /// The documents that are observed one by one.
  func titles(of documents: Int) -> [String] {
    let step = documents / count
    return (0..<count).map { "title \($0 * step)" }
  }

  func ranges(of documents: Int) -> [Range<Int32>] {
    let length = documents / 10
    let step = (documents - length) / count
    return (0..<count).map { Int32($0 * step)..<Int32($0 * step + length) }
  }

  /// An update of every document: it moves all documents out of their ranges.
  func revision(_ number: Int, of documents: Int) -> DocumentRevision {
    switch self {
    case .queriesOfOne, .objects: DocumentRevision(number)
    case .ranges: DocumentRevision(number, rotatingBy: documents / 10, in: documents)
    }
  }
}
