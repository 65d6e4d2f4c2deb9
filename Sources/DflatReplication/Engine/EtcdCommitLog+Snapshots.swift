#if Etcd

  import DflatCore
  import DflatEtcd

  extension EtcdCommitLog {
    // MARK: Reading

    func newestSnapshot(within timeout: Duration) throws -> LogSnapshot? {
      try blocking(within: timeout) { [client] in
        var newest = EtcdReadOptions()
        newest.limit = 1
        newest.order = .descending
        guard let entry = try await client.get(LogKeys.snapshots, newest).entries.first else { return nil }
        let (number, snapshot) = try Self.snapshot(in: entry)
        return LogSnapshot(commitNumber: number, size: snapshot.chunks.size)
      }
    }

    func readSnapshot(_ snapshot: LogSnapshot, _ receive: ([UInt8]) throws -> Void) throws {
      let key = LogKeys.snapshot(snapshot.commitNumber)
      let replaced = CommitLogError(.trimmed, "snapshot \(snapshot.commitNumber) has been replaced by a newer one")
      let entry = try blocking(within: Self.patience) { [client] in try await client.get(key) }
      guard let entry else { throw replaced }
      let stored = try Self.snapshot(in: entry).entry
      guard stored.chunks.size == snapshot.size else { throw replaced }
      var reader = ChunkReader(client, stored.chunks)
      while true {
        let (chunk, next): ([UInt8]?, ChunkReader)
        do {
          (chunk, next) = try blocking(within: Self.patience) { [reader] in
            var reader = reader
            return (try await reader.next(), reader)
          }
        } catch let error as CommitLogError where error.code == .foreign {
          // Another snapshot of the same commit may have taken its place, as earlier versions let it.
          let isThere = try blocking(within: Self.patience) { [client] in
            try await client.get(key)?.value == entry.value
          }
          throw isThere ? error : replaced
        }
        guard let chunk else { return }
        reader = next
        try receive(chunk)
      }
    }

    private static func snapshot(in entry: EtcdEntry) throws -> (number: UInt64, entry: SnapshotEntry) {
      guard let number = LogKeys.number(in: entry.key), let snapshot = SnapshotEntry(decoding: entry.value) else {
        throw CommitLogError.foreign(entry.key, "has no snapshot of this program, or one of a newer version")
      }
      return (number, snapshot)
    }

    // MARK: Claiming

    func claimingSnapshot(within timeout: Duration, _ make: () throws -> Void) throws -> Bool {
      let isFirst = isSnapshotter.withLock { isSnapshotter in
        defer { isSnapshotter = true }
        return !isSnapshotter
      }
      guard isFirst else { return false }
      // The claim may be there until an answer says that it isn't.
      var isMine = true
      defer {
        isSnapshotter.withLock { $0 = false }
        if isMine { giveUpSnapshot() }
      }
      do {
        isMine = try blocking(within: timeout) { [client, leases, claim] in
          let lease = try await leases.current()
          let result = try await client.transaction(
            if: [.isMissing(LogKeys.snapshotter)], then: [.put(claim, for: LogKeys.snapshotter, lease: lease)],
            else: [.get(.key(LogKeys.snapshotter))])
          let other = result.isSuccess ? nil : EntryStore.entry(result.results, 0)
          // It would stay for ever.
          if let other, other.lease == nil { throw CommitLogError.foreign(other.key, "belongs to no process") }
          // An earlier claim of this process may not be given up yet.
          return result.isSuccess || other?.value == claim
        }
      } catch let error as CommitLogError where error.code == .denied {
        isMine = false
        throw error
      }
      if isMine { try make() }
      return isMine
    }

    private var claim: [UInt8] { TurnValue(process: me).encoded }

    private func giveUpSnapshot() {
      repeatInBackground { log in
        // A new claim has taken the place of the old one.
        if log.isSnapshotter.withLock(\.self) { return true }
        _ = try await log.client.transaction(
          if: [.value(of: LogKeys.snapshotter, .equal, to: log.claim)], then: [.delete(.key(LogKeys.snapshotter))])
        return true
      }
    }

    // MARK: Writing

    func writeSnapshot(of commitNumber: UInt64, _ next: () throws -> [UInt8]?) throws {
      deleteUnfinishedSnapshots()
      let writer = try blocking(within: Self.patience) { [client, leases] in
        ChunkWriter(client, .snapshot, commitNumber, lease: try await leases.current())
      }
      do { try write(next, with: writer, of: commitNumber) } catch {
        discard(writer.list)
        throw error
      }
    }

    private func write(_ next: () throws -> [UInt8]?, with writer: ChunkWriter, of commitNumber: UInt64) throws {
      try blocking(within: Self.patience) { try await writer.begin() }
      var pending: [UInt8] = []
      while let bytes = try next() {
        pending += bytes
        while pending.count >= ChunkWriter.chunkSize {
          let chunk = [UInt8](pending.prefix(ChunkWriter.chunkSize))
          pending.removeFirst(chunk.count)
          try blocking(within: Self.patience) { try await writer.add(chunk) }
        }
      }
      if !pending.isEmpty {
        let chunk = pending
        try blocking(within: Self.patience) { try await writer.add(chunk) }
      }
      let list = writer.list
      try blocking(within: Self.patience) { [self] in
        try await publish(SnapshotEntry(chunks: list), of: commitNumber)
        try await deleteOldSnapshots()
      }
    }

    /// Makes a snapshot's chunks count, or deletes them if the commit has a snapshot already, which somebody may be reading.
    private func publish(_ snapshot: SnapshotEntry, of number: UInt64) async throws {
      let key = LogKeys.snapshot(number)
      let writing = LogKeys.writing(snapshot.chunks.id)
      do {
        let result = try await client.transaction(
          if: [.exists(writing), .isMissing(key)],
          then: [.put(snapshot.encoded, for: key), .delete(.key(writing))], else: [.get(.key(key))])
        if result.isSuccess { return }
        if EntryStore.entry(result.results, 0) != nil {
          try await client.delete(LogKeys.chunks(of: snapshot.chunks.id))
          return
        }
      } catch let error as EtcdError where error.mayHaveTakenEffect {
        // Should the request arrive after this, the snapshot counts, unless its chunks were discarded before: they are
        // complete.
        if try await client.get(key)?.value == snapshot.encoded { return }
        throw error
      }
      throw CommitLogError(.unavailable, "the lease ended while the snapshot was stored")
    }

    /// Deletes the chunks of a snapshot or a record that was not stored, in the background.
    func discard(_ chunks: ChunkList) {
      repeatInBackground { log in
        // Should the request that names the chunks arrive after this, it changes nothing.
        try await log.client.delete(LogKeys.writing(chunks.id))
        try await Orphans(client: log.client).delete(chunks.id)
        return true
      }
    }

    private func deleteOldSnapshots() async throws {
      let entries = try await client.get(LogKeys.snapshots).entries
      for entry in entries.dropLast() {
        // First the description, so that readers see that their snapshot was replaced.
        try await client.delete(entry.key)
        guard let old = SnapshotEntry(decoding: entry.value) else { continue }
        try await client.delete(LogKeys.chunks(of: old.chunks.id))
      }
    }

    // MARK: Trimming

    func trim(through commitNumber: UInt64) throws {
      guard let newest = try newestSnapshot(within: Self.patience) else { return }
      let last = min(commitNumber, newest.commitNumber)
      try blocking(within: Self.patience) { [self] in
        try await client.delete(.range(from: LogKeys.record(0), to: LogKeys.record(last + 1)))
        try await forget(before: try await Orphans(client: client).delete(trimmed: last))
      }
    }

    /// Deletes what killed programs have left of snapshots. It would add up if each of them is killed before it is done,
    /// as nothing is trimmed until one is.
    private func deleteUnfinishedSnapshots() {
      // After a failure, the next snapshot deletes it.
      _ = try? blocking(within: Self.patience) { [self] in
        let revision = try await Orphans(client: client).deleteThoseOfSnapshots()
        if let revision { try await forget(before: revision) }
      }
    }

    /// Lets etcd drop its history, and with it the space of what was deleted.
    private func forget(before revision: Int64) async throws {
      do { try await client.compact(before: revision) } catch let error as EtcdError where error.code == .compacted {}
    }
  }

#endif
