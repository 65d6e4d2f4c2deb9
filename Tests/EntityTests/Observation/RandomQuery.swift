import DflatEntities
import GoldenModels
import TestSupport

/// A random query of posts that can be run repeatedly.
struct RandomQuery: Sendable, CustomStringConvertible {
  private let predicate: Predicate?
  private let order: Order
  private let limit: Limit
  private let offset: Int

  enum Predicate: Sendable {
    case above(Int32)
    case between(Int32, Int32)
    case titled(String)
    case titledOneOf([String])
    case untagged
    case tagged(String)
    case colored(Color)
    case aboveOrTagged(Int32, String)
    case notAboveAndNotColored(Int32, Color)
    case titleContains(String)
    case notTagEndsWith(String)
    case never
  }

  enum Order: CaseIterable, Sendable { case none, priority, priorityDown, colorThenTitle, tagDown, custom }

  init(using random: inout SeededGenerator) {
    func priority() -> Int32 { .random(in: -2...12, using: &random) }
    let color = [Color.red, .green, .blue].randomElement(using: &random) ?? .red
    let low = priority()
    switch Int.random(in: 0..<14, using: &random) {
    case 0: predicate = .above(low)
    case 1, 2: predicate = .between(low, low + .random(in: -1...6, using: &random))
    case 3: predicate = .titled(Self.title(using: &random))
    case 4: predicate = .titledOneOf((0..<5).map { _ in Self.title(using: &random) })
    case 5: predicate = .untagged
    case 6: predicate = .tagged(Self.tag(using: &random) ?? "t0")
    case 7: predicate = .colored(color)
    case 8: predicate = .aboveOrTagged(low, "t1")
    case 9: predicate = .notAboveAndNotColored(low, color)
    case 10: predicate = .titleContains("\(Int.random(in: 0...3, using: &random))")
    case 11: predicate = .notTagEndsWith(["1", "T2"].randomElement(using: &random) ?? "1")
    case 12: predicate = Int.random(in: 0..<4, using: &random) == 0 ? .never : nil
    default: predicate = nil
    }
    order = Order.allCases.randomElement(using: &random) ?? .none
    let isLimited = Bool.random(using: &random)
    limit = isLimited ? .limit([0, 1, 2, 5, 20].randomElement(using: &random) ?? 1) : .noLimit
    offset = Bool.random(using: &random) ? 0 : .random(in: 0...6, using: &random)
  }

  static func title(using random: inout SeededGenerator) -> String { "p\(Int.random(in: 0..<40, using: &random))" }

  static func tag(using random: inout SeededGenerator) -> String? {
    let number = Int.random(in: 0..<4, using: &random)
    return number == 3 ? nil : "t\(number)"
  }

  var description: String { "\(predicate.map { "\($0)" } ?? "all") \(order) \(limit) \(offset)" }

  func fetch(in workspace: SQLiteWorkspace) -> FetchedResult<Post> {
    let posts = workspace.fetch(for: Post.self)
    switch predicate {
    case nil: return posts.all(limit: limit, offset: offset, orderBy: orders)
    case .above(let low): return run(posts, Post.priority > low)
    case .between(let low, let high): return run(posts, Post.priority >= low && Post.priority < high)
    case .titled(let title): return run(posts, Post.title == title)
    case .titledOneOf(let titles): return run(posts, Post.title.in(titles))
    case .untagged: return run(posts, Post.tag.isNull)
    case .tagged(let tag): return run(posts, Post.tag == tag)
    case .colored(let color): return run(posts, Post.color == color)
    case .aboveOrTagged(let low, let tag): return run(posts, Post.priority > low || Post.tag == tag)
    case .notAboveAndNotColored(let low, let color): return run(posts, !(Post.priority > low) && Post.color != color)
    case .titleContains(let text): return run(posts, Post.title.contains(text))
    case .notTagEndsWith(let text): return run(posts, !Post.tag.hasSuffix(text, ignoringCase: true))
    case .never: return run(posts, Post.priority > 3 && Post.priority < 2)
    }
  }

  private func run<T: Expr>(
    _ posts: QueryBuilder<Post>, _ predicate: T
  ) -> FetchedResult<Post> where T.ResultType == Bool, T.Element == Post {
    posts.where(predicate, limit: limit, offset: offset, orderBy: orders)
  }

  private var orders: [OrderBy<Post>] {
    switch order {
    case .none: []
    case .priority: [Post.priority.ascending]
    case .priorityDown: [Post.priority.descending]
    case .colorThenTitle: [Post.color.ascending, Post.title.descending]
    case .tagDown: [Post.tag.descending]
    case .custom: [[Color.blue, .red].firstIndex(of: Post.color)]
    }
  }
}

/// A random change in a transaction.
enum RandomChange {
  static func apply(to txn: TransactionContext, using random: inout SeededGenerator) {
    let title = RandomQuery.title(using: &random)
    let priority = Int32.random(in: 0...10, using: &random)
    let tag = RandomQuery.tag(using: &random)
    let color = [Color.red, .green, .blue].randomElement(using: &random) ?? .red
    let found = txn.fetch(for: Post.self).where(Post.title == title).first
    switch (found, Int.random(in: 0..<6, using: &random)) {
    case (nil, _):
      txn.try(submit: PostChangeRequest.creationRequest(Post(title: title, color: color, tag: tag, priority: priority)))
    case (let post?, 0): txn.try(submit: PostChangeRequest.deletionRequest(post))
    case (let post?, 1):
      // Delete the post and insert it again, in another row.
      txn.try(submit: PostChangeRequest.deletionRequest(post))
      txn.try(submit: PostChangeRequest.creationRequest(post))
    case (let post?, 2):
      // Change the tag and change it back: the transaction's net change is empty.
      for tag in ["other", post.tag] {
        let request = PostChangeRequest.changeRequest(post)
        request?.tag = tag
        txn.try(submit: request)
      }
    case (let post?, _):
      let request = PostChangeRequest.changeRequest(post)
      if Bool.random(using: &random) { request?.priority = priority }
      if Bool.random(using: &random) { request?.tag = tag }
      if Bool.random(using: &random) { request?.color = color }
      txn.try(submit: request)
    }
  }
}
