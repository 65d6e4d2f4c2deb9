/// The objects that a query gave, as of one commit: an array that doesn't change.
///
/// Results are equal when their objects are, in order; what they were asked for is not part of that. One that `fetch` gave
/// can be observed.
public final class FetchedResult<Element: Atom>: RandomAccessCollection, Sendable {
  public typealias Index = Int
  public typealias Indices = Range<Int>
  public typealias SubSequence = ArraySlice<Element>

  /// The objects.
  public let underlyingArray: [Element]
  /// The commit that the result shows; -1 of one that was made by hand.
  public let commitNumber: Int64
  /// What was asked, and where; nil of a result that was made by hand.
  package let origin: ResultOrigin<Element>?
  /// The objects of the result that an observer had before this one.
  private let replaced: [Element]?

  /// A result made by hand. It can't be observed.
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

  /// What is different from the result that the observer had before; nil of a result that no observer was given.
  ///
  ///     let subscription = workspace.subscribe(fetchedResult: posts) { posts in
  ///       guard let changes = posts.changes else { return }
  ///       …
  ///     }
  ///
  /// It is worked out when it is asked for, in time linear in the size of both results where rows keep their order.
  public var changes: FetchedResultChanges? {
    guard let replaced else { return nil }
    return FetchedResultChanges(from: replaced.map(\._rowid), to: underlyingArray.map(\._rowid)) {
      replaced[$0] !== underlyingArray[$1]
    }
  }

  /// This result for an observer that was not given the one before it: `changes` are against what that one replaced.
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
  /// Whether the objects are equal, one by one.
  public static func == (lhs: FetchedResult<Element>, rhs: FetchedResult<Element>) -> Bool {
    lhs === rhs || lhs.underlyingArray == rhs.underlyingArray
  }
}

extension FetchedResult: CustomStringConvertible {
  public var description: String { underlyingArray.description }
}

/// Where a result came from.
package struct ResultOrigin<Element: Atom>: Sendable {
  package let query: EntityQuery<Element>
  /// Tells workspaces apart. Commit numbers of one mean nothing in another.
  package let workspace: ObjectIdentifier

  package init(_ query: EntityQuery<Element>, in core: WorkspaceCore) {
    self.query = query
    workspace = ObjectIdentifier(core)
  }
}
