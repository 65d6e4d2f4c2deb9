import DflatKV
import GoldenModels

extension SQLiteWorkspace {
  /// Commits changes of posts.
  func change(_ body: (TransactionContext) throws -> Void) throws { try transactAndWait([Post.self], body) }

  /// Commits new posts with these titles and priorities.
  func insert(_ posts: KeyValuePairs<String, Int32>) throws {
    try change { txn in for (title, priority) in posts { try txn.insert(Post(title: title, priority: priority)) } }
  }

  /// Commits a change of a post's priority.
  func set(_ title: String, _ priority: Int32) throws {
    try change { txn in _ = try txn.update(Post(title: title)) { $0.priority = priority } }
  }

  func post(_ title: String) -> Post? { fetch(for: Post.self).where(Post.title == title).first }
}
