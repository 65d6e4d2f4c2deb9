/// The observers of a workload. Every update notifies each of them.
enum DocumentObservers {
  /// 1,000 live queries, each by primary key.
  case queriesOfOne
  /// 1,000 observed objects.
  case objects
  /// Live queries by overlapping ranges of the priority, each with a tenth of the documents.
  case ranges(Int)

  var count: Int {
    switch self {
    case .queriesOfOne, .objects: 1_000
    case .ranges(let count): count
    }
  }

  /// Returns the titles of the documents that are observed individually.
  func titles(of documents: Int) -> [String] {
    let step = documents / count
    return (0..<count).map { "title \($0 * step)" }
  }

  func ranges(of documents: Int) -> [Range<Int32>] {
    let length = documents / 10
    let step = (documents - length) / count
    return (0..<count).map { Int32($0 * step)..<Int32($0 * step + length) }
  }

  /// Returns an update of every document. It moves all documents out of their ranges.
  func revision(_ number: Int, of documents: Int) -> DocumentRevision {
    switch self {
    case .queriesOfOne, .objects: DocumentRevision(number)
    case .ranges: DocumentRevision(number, rotatingBy: documents / 10, in: documents)
    }
  }
}
