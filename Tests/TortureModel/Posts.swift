import DflatKV
import GoldenModels

// A second type of objects, in a table and a lane of its own.

/// The fields of a stored `Post`.
struct PostRow: Codable, Hashable, Sendable {
  enum Body: Codable, Hashable, Sendable {
    case text(Text)
    case images([Int])
  }

  /// A key of the alphabet, by index.
  var title: Int
  var priority: Int32
  var tag: Text?
  var body: Body?

  var token: String {
    let tag = tag.map { Token.bytes("", $0.bytes) } ?? "-"
    let body =
      switch body {
      case .text(let text)?: Token.bytes("t", text.bytes)
      case .images(let keys)?: "i\(keys)"
      case nil: "-"
      }
    return "\(title)/\(priority)/\(tag)/\(body)"
  }

  var post: Post {
    let content: Content? =
      switch body {
      case .text(let text)?: .textContent(TextContent(text: text.string))
      case .images(let keys)?: .imageContent(ImageContent(images: keys.map { Alphabet.keys[$0] }))
      case nil: nil
      }
    return Post(title: Alphabet.keys[title], tag: tag?.string, priority: priority, content: content)
  }
}

extension Post {
  var token: String {
    let tag = tag.map { Token.bytes("", Array($0.utf8)) } ?? "-"
    let body =
      switch content {
      case .textContent(let content)?: Token.bytes("t", Array((content.text ?? "").utf8))
      case .imageContent(let content)?: "i[\(content.images.map { Alphabet.key($0) }.joined(separator: ", "))]"
      case nil: "-"
      }
    return "\(Alphabet.key(title))/\(priority)/\(tag)/\(body)"
  }
}

/// A condition on the images of a post. It is unknown for posts without images as their content.
struct ImageTest: Codable, Sendable {
  /// A key of the alphabet. Nil tests that there are no images.
  var key: Int?
  var ignoresCase = false
  var isNegated = false

  var printed: String {
    let test = key.map { "contains(\(Alphabet.literal(Alphabet.keys[$0]))\(ignoresCase ? ", ignoring case" : ""))" }
    return "\(isNegated ? "!" : "")images.\(test ?? "isEmpty")"
  }

  var predicate: AnyPredicate<Post> {
    let images = Post.content.as(ImageContent.self).images
    let test: VectorTestExpr<Post> =
      if let key {
        ignoresCase ? images.contains(Alphabet.keys[key], ignoringCase: true) : images.contains(Alphabet.keys[key])
      } else {
        images.isEmpty
      }
    return isNegated ? AnyPredicate(!test) : AnyPredicate(test)
  }

  func holds(for row: PostRow) -> Bool {
    guard case .images(let images)? = row.body else { return false }
    guard let key else { return images.isEmpty != isNegated }
    let isThere = images.contains { image in
      Filter.Place.whole.holds(Alphabet.keys[image], Alphabet.keys[key], ignoresCase: ignoresCase)
    }
    return isThere != isNegated
  }
}

struct PostQuery: Codable, Sendable {
  /// A lower bound of the priority, which an index finds.
  var atLeast: Int32?
  var images: ImageTest?
  var byPriority: Bool
  var limit: Int?

  var printed: String {
    "posts(\(atLeast.map { "priority >= \($0)" } ?? "all")\(images.map { " && \($0.printed)" } ?? ""), orderBy \(byPriority ? "priority.descending" : "title"), "
      + "limit \(limit.map(String.init) ?? "none"))"
  }

  func query(on query: DflatKV.Query<Post>) -> DflatKV.Query<Post> {
    var query = query
    if let predicate { query = query.where(predicate) }
    query = query.orderBy(byPriority ? Post.priority.descending : Post.title.ascending)
    return limit.map { query.limit($0) } ?? query
  }

  func result(in workspace: SQLiteWorkspace) -> FetchedResult<Post> {
    let builder = workspace.fetch(for: Post.self)
    let limit = limit.map { Limit.limit($0) } ?? .noLimit
    let order = [byPriority ? Post.priority.descending : Post.title.ascending]
    guard let predicate else { return builder.all(limit: limit, orderBy: order) }
    return builder.where(predicate, limit: limit, orderBy: order)
  }

  private var predicate: AnyPredicate<Post>? {
    let bound: AnyPredicate<Post>? = atLeast.map { AnyPredicate(Post.priority >= $0) }
    guard let bound, let test = images?.predicate else { return bound ?? images?.predicate }
    return AnyPredicate(bound && test)
  }

  private func holds(for row: PostRow) -> Bool {
    row.priority >= atLeast ?? .min && images?.holds(for: row) ?? true
  }

  func token(of state: FileState) -> String {
    let found = state.posts.filter { holds(for: $0.value) }.sorted { left, right in
      if byPriority, left.value.priority != right.value.priority { return left.value.priority > right.value.priority }
      if byPriority { return left.key < right.key }
      return Alphabet.ranks[left.value.title] < Alphabet.ranks[right.value.title]
    }
    return resultToken((limit.map { found.prefix($0) } ?? found[...]).map { (rowid: $0.key, token: $0.value.token) })
  }
}

enum PostOperation: Codable, Sendable {
  case insert(PostRow)
  case upsert(PostRow)
  /// Deletes by the primary key.
  case delete(title: Int)
  case raise(atLeast: Int32?, by: Int32)
  case fetch(PostQuery)

  var printed: String {
    switch self {
    case .insert(let row): "insert post \(row.token)"
    case .upsert(let row): "upsert post \(row.token)"
    case .delete(let title): "delete post \(title)"
    case .raise(let atLeast, let amount):
      "updateAll(Post, \(atLeast.map { "priority >= \($0)" } ?? "all")) { priority &+= \(amount) }"
    case .fetch(let query): query.printed
    }
  }
}

extension Executor {
  func run(_ operation: PostOperation, at place: Place, in scope: Scope) throws -> Reply {
    if case .fetch(let query) = operation {
      let source = scope.transaction?.query(for: Post.self) ?? place.workspace.query(for: Post.self)
      return .text(Self.token(try query.query(on: source).fetch()))
    }
    guard let transaction = scope.transaction else { throw Refusal() }
    func token(_ object: Post) -> String { "#\(object._rowid) \(object.token)" }
    switch operation {
    case .insert(let row): return .text(token(try transaction.insert(row.post)))
    case .upsert(let row): return .text(token(try transaction.upsert(row.post)))
    case .delete(let title):
      try transaction.delete(Post(title: Alphabet.keys[title]))
      return .text("deleted")
    case .raise(let atLeast, let amount):
      func raise(_ builder: inout PostBuilder) { builder.priority &+= amount }
      let count =
        try atLeast.map { try transaction.updateAll(Post.self, where: Post.priority >= $0, raise) }
        ?? transaction.updateAll(Post.self, raise)
      return .text("\(count)")
    case .fetch: throw Refusal()
    }
  }

  static func token(_ result: some Sequence<Post>) -> String {
    resultToken(result.map { (rowid: $0._rowid, token: $0.token) })
  }
}

extension Model {
  func check(_ operation: PostOperation, _ reply: Reply, in transaction: TransactionModel) throws {
    func numbered(_ title: Int) -> Int64? { transaction.state.posts.first { $0.value.title == title }?.key }
    func new(_ row: PostRow) throws {
      guard let rowid = Self.rowid(in: reply), reply.text == "#\(rowid) \(row.token)" else {
        throw Mismatch("\(operation.printed) returned \(reply.text)")
      }
      guard transaction.state.posts[rowid] == nil, !file(transaction.slot).usedPosts.contains(rowid) else {
        throw Mismatch("\(operation.printed) returned the row \(rowid), which belonged to another object")
      }
      transaction.state.posts[rowid] = row
    }
    join(transaction)
    switch operation {
    case .insert(let row):
      if numbered(row.title) != nil { return try expect("!objectAlreadyExists", reply, operation.printed) }
      try new(row)
    case .upsert(let row):
      guard let found = numbered(row.title) else { return try new(row) }
      transaction.state.posts[found] = row
      try expect("#\(found) \(row.token)", reply, operation.printed)
    case .delete(let title):
      guard let found = numbered(title) else { return try expect("!objectNotFound", reply, operation.printed) }
      transaction.state.posts[found] = nil
      try expect("deleted", reply, operation.printed)
    case .raise(let atLeast, let amount):
      let matching = transaction.state.posts.filter { $0.value.priority >= atLeast ?? .min }.keys
      for rowid in matching { transaction.state.posts[rowid]?.priority &+= amount }
      try expect("\(matching.count)", reply, operation.printed)
    case .fetch: break
    }
  }
}
