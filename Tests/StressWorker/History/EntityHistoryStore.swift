import DflatKV
import GoldenModels

/// A store of texts in objects, one for each key.
protocol EntityHistoryStore: HistoryStore {
  associatedtype Element: Atom
  associatedtype Request: EntityChangeRequest<Element>
  associatedtype KeyPredicate: Expr where KeyPredicate.ResultType == Bool, KeyPredicate.Element == Element
  associatedtype PagePredicate: Expr where PagePredicate.ResultType == Bool, PagePredicate.Element == Element

  static func make(_ key: Int, _ text: String) -> Element
  static func key(of object: Element) -> Int?
  static func text(of object: Element) -> String
  static func set(_ text: String, in fields: inout Element._Builder)
  /// Returns a predicate on the primary key.
  static func has(_ key: Int) -> KeyPredicate
  /// Returns a predicate on a field that all objects of a page have in common, and possibly other objects too.
  static func isOn(_ page: Int) -> PagePredicate
  static var request: Request.Type { get }
}

/// Thrown if the store violates its contract.
struct BadOutcome: Error { let words: String }

extension EntityHistoryStore {
  var types: [Any.Type] { [Element.self] }

  static func name(of key: Int) -> String { "page\(key / HistoryPage.keyCount)-\(key)" }
  static func key(named name: String) -> Int? { name.split(separator: "-").last.flatMap { Int($0) } }

  func read(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext?, choice: Int
  ) throws -> String? {
    switch choice % 4 {
    case 0: return try object(key, workspace, transaction).map(Self.text)
    case 1:
      let page = try workspace.query(for: Element.self).where(Self.isOn(key / HistoryPage.keyCount)).fetch()
      return page.first { Self.key(of: $0) == key }.map(Self.text)
    case 2 where transaction != nil:
      // Reads the values that a change request captures of an object identified by its key alone.
      let request = Self.request.changeRequest(Self.make(key, ""))
      return (request?._values.build(identity: .unsaved)).map(Self.text)
    default:
      let query = workspace.query(for: Element.self).where(Self.has(key))
      let found = try query.fetch()
      guard try query.count() == found.count, found.count <= 1 else { throw BadOutcome(words: "count of \(key)") }
      return found.first.map(Self.text)
    }
  }

  private func object(
    _ key: Int, _ workspace: SQLiteWorkspace, _ transaction: TransactionContext?
  ) throws -> Element? {
    let query = transaction?.query(for: Element.self) ?? workspace.query(for: Element.self)
    return try query.where(Self.has(key)).first()
  }

  func readAll(of page: HistoryPage, in workspace: SQLiteWorkspace, choice: Int) throws -> [Int: String] {
    let found = try workspace.query(for: Element.self).where(Self.isOn(page.number)).fetch()
    return found.reduce(into: [:]) { texts, object in
      guard let key = Self.key(of: object), page.keys.contains(key) else { return }
      texts[key] = Self.text(of: object)
    }
  }

  func write(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext, choice: Int,
    _ change: (String?) -> String
  ) throws {
    guard let old = try object(key, workspace, transaction) else {
      let new = Self.make(key, change(nil))
      if choice.isMultiple(of: 2) { try transaction.insert(new) } else { try transaction.upsert(new) }
      return
    }
    let new = change(Self.text(of: old))
    if choice % 8 == 7 { try expectRefusal(key, transaction) }
    switch choice % 4 {
    case 0: try transaction.update(old) { Self.set(new, in: &$0) }
    case 1:
      guard let request = Self.request.changeRequest(old) else { throw BadOutcome(words: "no object \(key)") }
      Self.set(new, in: &request._values)
      try transaction.submit(request)
    case 2: try transaction.upsert(Self.make(key, new))
    default:
      try transaction.delete(old)
      try transaction.insert(Self.make(key, new))
    }
  }

  /// Checks that a failing submission leaves the transaction as it was.
  private func expectRefusal(_ key: Int, _ transaction: TransactionContext) throws {
    do {
      try transaction.insert(Self.make(key, "0"))
      throw BadOutcome(words: "inserted \(key) twice")
    } catch let error as WorkspaceError where error.code == .objectAlreadyExists {}
  }
}

/// Texts in an optional field. A page's objects have an indexed field in common.
struct PostHistoryStore: EntityHistoryStore {
  static var request: PostChangeRequest.Type { PostChangeRequest.self }

  static func make(_ key: Int, _ text: String) -> Post {
    Post(title: name(of: key), tag: text, priority: Int32(key / HistoryPage.keyCount))
  }

  static func key(of object: Post) -> Int? { key(named: object.title) }
  static func text(of object: Post) -> String { object.tag ?? "" }
  static func set(_ text: String, in fields: inout PostBuilder) { fields.tag = text }
  static func has(_ key: Int) -> some Expr<Bool, Post> { Post.title == name(of: key) }
  static func isOn(_ page: Int) -> some Expr<Bool, Post> { Post.priority == Int32(page) }
}

/// Texts in a union's table, with an indexed field that changes with each of them. A page is found by the range of its
/// keys.
struct BenchDocHistoryStore: EntityHistoryStore {
  typealias Element = Golden.Bench.BenchDoc

  static var request: Golden.Bench.BenchDocChangeRequest.Type { Golden.Bench.BenchDocChangeRequest.self }

  static func make(_ key: Int, _ text: String) -> Element {
    var fields = Element._Builder()
    fields.title = name(of: key)
    set(text, in: &fields)
    return fields.build(identity: .unsaved)
  }

  static func key(of object: Element) -> Int? { key(named: object.title) }

  static func text(of object: Element) -> String {
    if case .textContent(let content)? = object.content { content.text ?? "" } else { "" }
  }

  static func set(_ text: String, in fields: inout Element._Builder) {
    fields.content = .textContent(Golden.Bench.TextContent(text: text))
    fields.priority = Int32(text.split(separator: " ").last ?? "0") ?? 0
  }

  static func has(_ key: Int) -> some Expr<Bool, Element> { Element.title == name(of: key) }
  static func isOn(_ page: Int) -> some Expr<Bool, Element> { Element.title.hasPrefix("page\(page)-") }
}

/// Texts in a nested table. The primary key has two fields, and a page's objects have an indexed field in common.
struct MonsterHistoryStore: EntityHistoryStore {
  typealias Element = MyGame.Sample.Monster

  static var request: MyGame.Sample.MonsterChangeRequest.Type { MyGame.Sample.MonsterChangeRequest.self }

  static func make(_ key: Int, _ text: String) -> Element {
    Element(
      name: name(of: key), color: .blue, mana: Int16(key / HistoryPage.keyCount),
      profile: MyGame.Sample.Profile(url: text))
  }

  static func key(of object: Element) -> Int? { key(named: object.name) }
  static func text(of object: Element) -> String { object.profile?.url ?? "" }
  static func set(_ text: String, in fields: inout Element._Builder) { fields.profile = .init(url: text) }
  static func has(_ key: Int) -> some Expr<Bool, Element> { Element.color == .blue && Element.name == name(of: key) }
  static func isOn(_ page: Int) -> some Expr<Bool, Element> { Element.mana == Int16(page) }
}
