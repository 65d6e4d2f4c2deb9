import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Changes of fields: different bytes count as a change, whether `==` says so or not.
@Suite struct SameFieldsTests {
  private static let composed = "\u{E9}"
  private static let decomposed = "e\u{301}"

  @Test("A different spelling of an equal text is a change that moves its row", arguments: [false, true])
  func spellings(isExternal: Bool) throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let author = isExternal ? try TestWorkspace.open(test.path) : workspace
    defer { if isExternal { author.shutdown() } }
    try workspace.change { txn in
      try txn.insert(Post(title: "a", tag: Self.composed))
      try txn.insert(Post(title: "b", tag: "f"))
    }
    func fetch() -> FetchedResult<Post> { workspace.fetch(for: Post.self).all(orderBy: [Post.tag.ascending]) }
    let log = EventLog<String>()
    let live = workspace.subscribe(fetchedResult: fetch()) { log.append($0.map(\.title).joined()) }
    let object = try #require(workspace.post("a"))
    let versions = workspace.subscribe(object: object) { change in
      if case .updated(let post) = change { log.append("\(post.tag?.utf8.count ?? 0) bytes") }
    }
    func update(_ change: (inout Post._Builder) -> Void) throws {
      try author.change { txn in _ = try txn.update(Post(title: "a"), change) }
      try workspace.core.checkForCommits()
      try workspace.settle()
    }
    #expect(fetch().map(\.title) == ["b", "a"])
    try update { $0.tag = Self.decomposed }
    #expect(fetch().map(\.title) == ["a", "b"])
    #expect(log.events.sorted() == ["3 bytes", "ab"])
    try update { $0.tag = "g" }
    #expect(log.events.dropFirst(2).sorted() == ["1 bytes", "ba"])
    live.cancel()
    versions.cancel()
  }

  @Test("An outdated result that differs only in a text's spelling catches up")
  func outdatedSpelling() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.change { try $0.insert(Post(title: "a", tag: Self.composed)) }
    let old = workspace.fetch(for: Post.self).all()
    try workspace.change { txn in _ = try txn.update(Post(title: "a")) { $0.tag = Self.decomposed } }
    let log = EventLog<Int>()
    let subscription = workspace.subscribe(fetchedResult: old) { log.append($0.first?.tag?.utf8.count ?? 0) }
    try workspace.settle()
    #expect(log.events == [3])
    subscription.cancel()
  }

  @Test("A NaN that stays the same is not a change")
  func nan() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(Sample(id: "a", precise: .nan))
    let result = workspace.fetch(for: Sample.self).all()
    let object = try #require(result.first)
    let log = EventLog<String>()
    let subscriptions = [
      workspace.subscribe(fetchedResult: result) { _ in log.append("result") },
      workspace.subscribe(object: object) { _ in log.append("object") },
    ]
    try workspace.settle()
    #expect(log.events == [])
    subscriptions.forEach { $0.cancel() }
  }
}
