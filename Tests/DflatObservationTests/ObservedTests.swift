import DflatCore
import DflatObservation
import GoldenModels
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let volume = DictionaryKey("volume", default: 5)
}

/// Objects of the main actor for Swift Observation. Each change comes from another thread.
@Suite(.timeLimit(.minutes(15))) @MainActor struct ObservedTests {
  /// Runs `body`, and returns when what `read` has read is about to change; then this task runs after the change.
  private func change(of read: () -> Void, by body: () -> Void) async {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        read()
      } onChange: {
        continuation.resume()
      }
      body()
    }
  }

  /// Queues a transaction, which runs on another thread.
  private nonisolated func commit(
    in test: TestWorkspace, _ body: @escaping @Sendable (TransactionContext) throws -> Void
  ) {
    test.workspace.performChanges([Post.self]) { txn in
      do { try body(txn) } catch { Issue.record(error) }
    }
  }

  @Test("A key's committed value, or its default, changes on the main actor") func key() async throws {
    let test = try TestWorkspace()
    let volume = ObservedKey(.volume, in: test.dictionary)
    #expect(volume.value == 5)
    await change(of: { _ = volume.value }, by: { commit(in: test) { $0.dictionary[.volume] = 6 } })
    #expect(volume.value == 6)
    await change(of: { _ = volume.value }, by: { commit(in: test) { $0.dictionary.removeValue(forKey: .volume) } })
    #expect(volume.value == 5)
  }

  @Test("A key that has a value shows it at once") func existingKey() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary[.volume] = 7 }
    #expect(ObservedKey(.volume, in: test.dictionary).value == 7)
  }

  @Test("If the main actor is busy, the newest value replaces those that wait") func busy() async throws {
    let test = try TestWorkspace()
    let volume = ObservedKey(.volume, in: test.dictionary)
    await change(of: { _ = volume.value }) {
      // Blocks the main actor until the observers of each commit have run.
      for number in 6...9 {
        do {
          try test.workspace.transactAndWait { $0.dictionary[.volume] = number }
        } catch { Issue.record(error) }
      }
      #expect(volume.value == 5)
    }
    #expect(volume.value == 9)
  }

  @Test("Another workspace's commit arrives") func external() async throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let volume = ObservedKey(.volume, in: test.dictionary)
    await change(of: { _ = volume.value }, by: { commit(in: other) { $0.dictionary[.volume] = 6 } })
    #expect(volume.value == 6)
  }

  @Test("A query's result changes, with its differences from the result shown before") func query() async throws {
    let test = try TestWorkspace()
    let posts = ObservedQuery(test.workspace.fetch(for: Post.self).where(Post.priority > 0), in: test.workspace)
    #expect(posts.result.isEmpty)
    await change(of: { _ = posts.result }) {
      for title in ["a", "b"] {
        do {
          try test.workspace.transactAndWait([Post.self]) { _ = try $0.insert(Post(title: title, priority: 1)) }
        } catch { Issue.record(error) }
      }
    }
    #expect(posts.result.map(\.title) == ["a", "b"])
    #expect(posts.result.changes?.inserted == [0, 1])
  }

  @Test("The results of searches in texts and vectors change") func textsAndVectors() async throws {
    let test = try TestWorkspace()
    let images = Post.content.as(ImageContent.self).images
    let posts = test.workspace.fetch(for: Post.self)
    let queries: [() -> FetchedResult<Post>] = [
      { posts.where(Post.title.contains("ell")) }, { posts.where(Post.title.hasSuffix("lo")) },
      { posts.where(Post.tag.isEmpty) }, { posts.where(images.contains("a")) }, { posts.where(!images.isEmpty) },
    ]
    for fetch in queries {
      let observed = ObservedQuery(fetch(), in: test.workspace)
      #expect(observed.result.isEmpty)
      await change(of: { _ = observed.result }) {
        commit(in: test) { txn in
          try txn.insert(Post(title: "hello", tag: "", content: .imageContent(ImageContent(images: ["b", "a"]))))
        }
      }
      #expect(observed.result.map(\.title) == ["hello"])
      await change(of: { _ = observed.result }) {
        commit(in: test) { txn in
          try txn.delete(Post(title: "hello"))
          try txn.insert(Post(title: "other", tag: "a", content: .imageContent(ImageContent())))
        }
      }
      #expect(observed.result.isEmpty)
      try test.workspace.transactAndWait([Post.self]) { try $0.delete(Post(title: "other")) }
    }
  }

  @Test("An object changes, and is nil once it is deleted") func object() async throws {
    let test = try TestWorkspace()
    let post = try test.workspace.transactAndWait([Post.self]) { try $0.insert(Post(title: "a", priority: 1)) }
    let observed = ObservedEntity(post, in: test.workspace)
    #expect(observed.object?.priority == 1)
    await change(of: { _ = observed.object }, by: { commit(in: test) { _ = try $0.update(post) { $0.priority = 2 } } })
    #expect(observed.object?.priority == 2)
    await change(of: { _ = observed.object }, by: { commit(in: test) { try $0.delete(post) } })
    #expect(observed.object == nil)
  }

  @Test("Keys and objects that are read together change together") func together() async throws {
    let test = try TestWorkspace()
    let observed = ObservedValue(
      test.workspace.observe { reader -> (Int, Int) in
        (reader.dictionary[.volume], reader.fetch(for: Post.self).count())
      })
    #expect(observed.value.map { [$0.0, $0.1] } == [5, 0])
    await change(of: { _ = observed.value }) {
      commit(in: test) { txn in
        txn.dictionary[.volume] = 6
        try txn.insert(Post(title: "a"))
      }
    }
    #expect(observed.value.map { [$0.0, $0.1] } == [6, 1])
    #expect(observed.error == nil)
  }

  @Test("An error is shown beside the last value") func failure() async throws {
    struct Refusal: Error {}
    let test = try TestWorkspace()
    let observed = ObservedValue(
      test.workspace.observe { reader -> Int in
        let value = reader.dictionary[.volume]
        if value == 6 { throw Refusal() }
        return value
      })
    await change(of: { _ = observed.error }, by: { commit(in: test) { $0.dictionary[.volume] = 6 } })
    #expect(observed.error is Refusal)
    #expect(observed.value == 5)
    let failed = ObservedValue(test.workspace.observe { _ -> Int in throw Refusal() })
    #expect(failed.value == nil && failed.error is Refusal)
  }

  @Test("Releasing an object ends its observation") func released() throws {
    let test = try TestWorkspace()
    let runs = EventLog<Int>()
    do {
      let observed = ObservedValue(
        test.workspace.observe { reader -> Int in
          let value = reader.dictionary[.volume]
          runs.append(value)
          return value
        })
      #expect(observed.value == 5)
    }
    try test.workspace.transactAndWait { $0.dictionary[.volume] = 6 }
    try test.settle()
    #expect(runs.events == [5])
  }

  @Test("An object keeps its value when the workspace closes, and has a default after that") func shutdown() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary[.volume] = 6 }
    let volume = ObservedKey(.volume, in: test.dictionary)
    let observation = test.workspace.observe { $0.dictionary[.volume] }
    let observed = ObservedValue(observation)
    test.workspace.shutdown()
    #expect(volume.value == 6 && observed.value == 6)
    #expect(ObservedKey(.volume, in: test.dictionary).value == 5)
    #expect(ObservedValue(observation).value == nil)
  }
}
