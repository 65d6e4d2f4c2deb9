import DflatKV

/// Feeds, articles and counters in one file.
struct NewsStore: Sendable {
  let workspace: SQLiteWorkspace

  /// Returns the feeds by name, each with its counter. Both come from one commit, whatever other programs write
  /// meanwhile.
  func counts() -> [(feed: Feed, unread: Int)] {
    workspace.fetchWithinASnapshot {
      workspace.fetch(for: Feed.self).all(orderBy: [Feed.name.ascending]).map { feed in
        (feed, workspace.dictionary.unread[feed.name, default: 0])
      }
    }
  }
}
