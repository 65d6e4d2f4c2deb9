import DflatKV
import TestSupport
import Testing

/// Workspaces that may not create their file, which another one creates later.
@Suite(.timeLimit(.minutes(15))) struct MissingFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func options(isReadOnly: Bool) -> SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options.quiet
    if isReadOnly { options.isReadOnly = true } else { options.createsFile = false }
    return options
  }

  @Test("A9: An observer that began before the file exists receives its commits", arguments: [true, false])
  func observes(isReadOnly: Bool) throws {
    let waiting = SQLiteWorkspace(filePath: directory.file(), options: options(isReadOnly: isReadOnly))
    defer { waiting.shutdown() }
    let (key, prefix) = (EventLog<SubscribedDictionaryValue<Int>>(), EventLog<StoredValue?>())
    let subscriptions = [
      waiting.dictionary.subscribe("k", of: Int.self) { key.append($0) },
      waiting.dictionary.subscribe(withPrefix: "") { prefix.append($0.value) },
    ]
    defer { for subscription in subscriptions { subscription.cancel() } }
    let writer = try TestWorkspace.open(directory.file())
    defer { writer.shutdown() }
    for value in 1...3 { try writer.transactAndWait { $0.dictionary["k"] = value } }
    #expect(try key.wait { $0.last == .updated(3) }.first == .initial(nil))
    #expect(try prefix.wait { $0.last == .int(3) }.allSatisfy { $0 != nil })
    #expect(waiting.dictionary["k"] == 3)
  }
}
