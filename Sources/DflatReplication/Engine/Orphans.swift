#if Etcd

  import DflatCore
  import DflatEtcd

  /// Finds and deletes chunks that no entry names and nobody writes.
  ///
  /// A writer makes its key `writing` first, and the transaction that names the chunks deletes it. So chunks without it
  /// are named already, or never will be.
  struct Orphans {
    let client: EtcdClient

    private static let pageSize = 1_000

    /// Deletes all orphans after the records up to one were deleted. Returns a revision at which they are gone.
    func delete(trimmed: UInt64) async throws -> Int64 {
      // In one step, however many there are. The records' numbers are taken, so nobody can append what is left of others.
      try await client.delete(LogKeys.recordChunks(through: trimmed))
      for id in try await ids(from: "chunk/", to: "chunk0") { try await delete(id) }
      return try await revision()
    }

    /// Deletes the orphans of snapshots. Returns a revision at which they are gone, or nil if there were none.
    func deleteThoseOfSnapshots() async throws -> Int64? {
      var areFound = false
      for id in try await ids(from: "chunk/s", to: "chunk/t") { if try await delete(id) { areFound = true } }
      return areFound ? try await revision() : nil
    }

    private func ids(from first: EtcdKey, to end: EtcdKey) async throws -> Set<String> {
      var (ids, next) = (Set<String>(), first)
      var options = EtcdReadOptions()
      options.limit = Self.pageSize
      options.keysOnly = true
      while true {
        let page = try await client.get(.range(from: next, to: end), options)
        for entry in page.entries { if let id = LogKeys.id(ofChunk: entry.key) { ids.insert(id) } }
        guard page.hasMore, let last = page.entries.last else { return ids }
        next = EtcdKey(last.key.bytes + [0])
      }
    }

    private func revision() async throws -> Int64 { try await client.get(.key(LogKeys.head)).revision }

    /// Deletes the chunks with an id if they are orphans. Returns false if they aren't.
    @discardableResult
    func delete(_ id: String) async throws -> Bool {
      guard try await isOrphan(id) else { return false }
      try await client.delete(LogKeys.chunks(of: id))
      return true
    }

    private func isOrphan(_ id: String) async throws -> Bool {
      // Whoever else writes here may have a use for other chunks.
      guard let parts = ChunkID(id) else { return false }
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
