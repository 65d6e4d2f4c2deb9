#if Etcd

  import DflatCore
  import DflatEtcd

  /// Finds and deletes chunks that no entry names and nobody writes.
  ///
  /// A writer makes its key `writing` first, and the transaction that names the chunks deletes it. So chunks without it
  /// are named already, or never will be.
  struct Orphans {
    let client: EtcdClient
    /// The newest record that was deleted.
    let trimmed: UInt64

    private static let pageSize = 1_000

    /// Returns a revision at which the orphans are gone.
    func delete() async throws -> Int64 {
      var (ids, next) = (Set<String>(), EtcdKey("chunk/"))
      var options = EtcdReadOptions()
      options.limit = Self.pageSize
      options.keysOnly = true
      while true {
        let page = try await client.get(.range(from: next, to: "chunk0"), options)
        for entry in page.entries { if let id = LogKeys.id(ofChunk: entry.key) { ids.insert(id) } }
        guard page.hasMore, let last = page.entries.last else { break }
        next = EtcdKey(last.key.bytes + [0])
      }
      for id in ids { try await delete(id) }
      return try await client.get(.key(LogKeys.head)).revision
    }

    /// Deletes the chunks with an id if they are orphans.
    func delete(_ id: String) async throws {
      if try await isOrphan(id) { try await client.delete(LogKeys.chunks(of: id)) }
    }

    private func isOrphan(_ id: String) async throws -> Bool {
      // Whoever else writes here may have a use for other chunks.
      guard let parts = ChunkID(id) else { return false }
      if parts.owner == .record, parts.number <= trimmed {
        return try await client.get(LogKeys.writing(id)) == nil
      }
      let owner = parts.owner == .record ? LogKeys.record(parts.number) : LogKeys.snapshot(parts.number)
      let result = try await client.transaction(
        then: [.get(.key(LogKeys.writing(id))), .get(.key(owner))])
      if EntryStore.entry(result.results, 0) != nil { return false }
      guard let entry = EntryStore.entry(result.results, 1) else { return true }
      // An entry of a newer version may name them. They are deleted after it.
      switch parts.owner {
      case .record:
        guard let record = LogEntry(decoding: entry.value) else { return false }
        guard case .chunks(let list) = record.content else { return true }
        return list.id != id
      case .snapshot:
        guard let snapshot = SnapshotEntry(decoding: entry.value) else { return false }
        return snapshot.chunks.id != id
      }
    }
  }

#endif
