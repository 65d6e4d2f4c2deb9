package import DflatCore

/// The objects that a query returned, as of one commit: an immutable array.
///
/// Two results are equal if their objects are, in order, even if their queries differ. A result of `fetch` can be
/// observed.
public final class FetchedResult<Element: Atom>: RandomAccessCollection, Sendable {
  public typealias Index = Int
  public typealias Indices = Range<Int>
  public typealias SubSequence = ArraySlice<Element>

  /// The objects.
  public let underlyingArray: [Element]
  /// The number of the commit that the result shows; -1 for a result created from an array.
  public let commitNumber: Int64
  /// The query and its workspace; nil for a result created from an array.
  package let origin: ResultOrigin<Element>?
  /// The objects of the observer's previous result.
  private let replaced: [Element]?

  /// Creates a result from an array. It can't be observed.
  public init(_ array: [Element]) {
    underlyingArray = array
    commitNumber = -1
    origin = nil
    replaced = nil
  }

  package init(
    _ array: [Element], commitNumber: UInt64, origin: ResultOrigin<Element>, replacing replaced: [Element]? = nil
  ) {
    underlyingArray = array
    self.commitNumber = Int64(bitPattern: commitNumber)
    self.origin = origin
    self.replaced = replaced
  }

  /// The differences from the observer's previous result; nil for a result that wasn't delivered to an observer.
  ///
  ///     let subscription = workspace.subscribe(fetchedResult: posts) { posts in
  ///       guard let changes = posts.changes else { return }
  ///       …
  ///     }
  ///
  /// Computed at each access, in time linear in the size of both results if the rows keep their order.
  public var changes: FetchedResultChanges? {
    guard let replaced else { return nil }
    return FetchedResultChanges(from: replaced.map(\._rowid), to: underlyingArray.map(\._rowid)) {
      replaced[$0] !== underlyingArray[$1]
    }
  }

  /// Returns this result for an observer that didn't receive `skipped`: its `changes` compare with the result before
  /// that.
  package func skipping(_ skipped: FetchedResult<Element>) -> FetchedResult<Element> {
    guard let origin else { return self }
    return FetchedResult(
      underlyingArray, commitNumber: UInt64(bitPattern: commitNumber), origin: origin, replacing: skipped.replaced)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { underlyingArray.count }
  public var indices: Range<Int> { underlyingArray.indices }
  public func index(after index: Int) -> Int { index + 1 }
  public func index(before index: Int) -> Int { index - 1 }
  public func formIndex(after index: inout Int) { index += 1 }
  public func formIndex(before index: inout Int) { index -= 1 }
  public subscript(position: Int) -> Element { underlyingArray[position] }
  public subscript(bounds: Range<Int>) -> ArraySlice<Element> { underlyingArray[bounds] }
}

extension FetchedResult: Equatable {
  /// Compares the objects one by one.
  public static func == (lhs: FetchedResult<Element>, rhs: FetchedResult<Element>) -> Bool {
    lhs === rhs || lhs.underlyingArray == rhs.underlyingArray
  }
}

extension FetchedResult: CustomStringConvertible {
  public var description: String { underlyingArray.description }
}

/// The origin of a result.
package struct ResultOrigin<Element: Atom>: Sendable {
  package let query: EntityQuery<Element>
  /// Identifies the workspace: a commit number means nothing in another one.
  package let workspace: SerialNumber

  package init(_ query: EntityQuery<Element>, in workspace: SerialNumber) {
    self.query = query
    self.workspace = workspace
  }
}
