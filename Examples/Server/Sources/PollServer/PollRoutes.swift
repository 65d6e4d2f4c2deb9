import DflatKV
import Hummingbird

/// The handlers. Each request is one snapshot or one transaction.
struct PollRoutes: Sendable {
  let workspace: SQLiteWorkspace

  func add(to router: Router<PollContext>) {
    router.get("poll") { _, _ in show() }
    router.put("poll") { request, context in try await change(to: request.decode(as: Poll.self, context: context)) }
    router.post("votes/:choice") { _, context in try await vote(for: context.parameters.require("choice")) }
    router.get("events") { _, _ in PollEvents(workspace).response }
  }

  private func show() -> Standing { workspace.fetchWithinASnapshot { Standing(workspace.dictionary) } }

  private func change(to poll: Poll) async throws -> Standing {
    try await workspace.transact { txn in
      txn.dictionary[.poll] = poll
      return Standing(txn.dictionary)
    }
  }

  /// Counts a vote if the poll is open. Between the check and the write no other transaction can close it, in this
  /// process or in another one.
  private func vote(for choice: String) async throws -> Standing {
    try await workspace.transact { txn in
      let poll = txn.dictionary[.poll]
      guard poll.choices.contains(choice) else { throw HTTPError(.notFound, message: "There is no such choice.") }
      guard poll.isOpen else { throw HTTPError(.conflict, message: "The poll is closed.") }
      txn.dictionary.namespace("votes")[choice, default: 0] += 1
      return Standing(txn.dictionary)
    }
  }
}
