#if Web
  import DflatKV

  /// One level of the tree of keys: the keys of a prefix, those with a further separator in groups.
  ///
  /// A group is skipped in the file, so a level takes a search for each entry however many keys the groups have.
  struct KeyLevel {
    enum Entry {
      /// Several keys that begin with this, which ends with a separator.
      case group(String)
      case key(KeySummary)

      var position: KeyPosition {
        switch self {
        case .group(let prefix): .prefix(prefix)
        case .key(let summary): .key(summary.key)
        }
      }
    }

    /// The largest value that a level shows, in bytes.
    static let maximumValue = 2048
    private static let separators: [UInt8] = [UInt8(ascii: "."), UInt8(ascii: "/")]

    let entries: [Entry]
    /// True if entries follow the last one.
    let hasMore: Bool

    /// Reads at most `limit` entries after a position. Call it in a snapshot, so that they are of one commit.
    init(
      of dictionary: WorkspaceDictionary, prefix: String, after position: KeyPosition?, limit: Int
    ) throws {
      var entries: [Entry] = []
      var position = position
      func next(after position: KeyPosition?, prefix: String) throws -> KeySummary? {
        try dictionary.firstKey(withPrefix: prefix, after: position, valueUpTo: Self.maximumValue)
      }
      while let summary = try next(after: position, prefix: prefix) {
        if entries.count == limit {
          self.entries = entries
          hasMore = true
          return
        }
        var entry = Entry.key(summary)
        // A group of one key is shown as the key.
        if let group = Self.group(of: summary.key, under: prefix),
          try next(after: .key(summary.key), prefix: group) != nil
        {
          entry = .group(group)
        }
        entries.append(entry)
        position = entry.position
      }
      self.entries = entries
      hasMore = false
    }

    /// Returns the key up to its first separator after the prefix; nil if it has none.
    private static func group(of key: String, under prefix: String) -> String? {
      let rest = key.utf8.dropFirst(prefix.utf8.count)
      guard let end = rest.firstIndex(where: separators.contains) else { return nil }
      return String(key.utf8[...end])
    }
  }
#endif
