import DflatKV
import Foundation

// Each of these methods runs one transaction: articles and counters change together or not at all.

extension NewsStore {
  /// Imports a feed file, and returns the number of its new articles.
  func add(_ file: FeedFile) async throws -> Int {
    try await workspace.transact([Feed.self, Article.self]) { txn in
      try txn.upsert(Feed(name: file.name, title: file.title))
      let known = Set(txn.fetch(for: Article.self).where(Article.feed == file.name).map(\.id))
      let new = file.items.filter { !known.contains($0.id) }
      for item in new {
        txn.dictionary[.lastNumber] += 1
        try txn.insert(
          Article(
            feed: file.name, id: item.id, number: txn.dictionary[.lastNumber], title: item.title, link: item.url,
            published: Int64(item.published?.timeIntervalSince1970 ?? 0)))
      }
      txn.dictionary.unread[file.name, default: 0] += new.count
      return new.count
    }
  }

  /// Marks articles as read, all of them if `numbers` is nil. Returns the number of articles that were unread.
  func markRead(_ numbers: [Int64]?) async throws -> Int {
    try await workspace.transact([Article.self]) { txn in
      var marked: [String: Int] = [:]
      func mark(_ article: inout ArticleBuilder) {
        article.read = true
        marked[article.feed, default: 0] += 1
      }
      let count =
        if let numbers {
          try txn.updateAll(Article.self, where: Article.number.in(numbers) && Article.read == false, mark)
        } else {
          try txn.updateAll(Article.self, where: Article.read == false, mark)
        }
      for (feed, count) in marked { txn.dictionary.unread[feed, default: 0] -= count }
      return count
    }
  }

  /// Removes a feed with its articles, and returns their number, or nil if there is no such feed.
  func remove(_ name: String) async throws -> Int? {
    try await workspace.transact([Feed.self, Article.self]) { txn -> Int? in
      guard let feed = txn.fetch(for: Feed.self).first(where: Feed.name == name) else { return nil }
      let count = try txn.deleteAll(Article.self, where: Article.feed == name)
      try txn.delete(feed)
      txn.dictionary.unread.removeValue(forKey: name)
      return count
    }
  }
}
