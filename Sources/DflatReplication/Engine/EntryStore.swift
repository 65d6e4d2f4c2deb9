#if Etcd

  import DflatCore
  import DflatEtcd

  /// Reads and checks what is stored under the prefix. Anybody may have written it.
  struct EntryStore: Sendable {
    let client: EtcdClient

    /// The numbers of entries that a read asks for. Entries may have a megabyte each, and an answer that is too large
    /// is thrown away.
    private static let fewestEntries = 4
    private static let mostEntries = 256
    /// The factor by which a read asks for more entries than the one before it.
    private static let growth = 8
    private static let timeBetweenAttempts = Duration.milliseconds(100)

    // MARK: State

    func status() async throws -> CommitLogStatus {
      var first = EtcdReadOptions()
      first.limit = 1
      first.keysOnly = true
      let result = try await client.transaction(then: [
        .get(.key(LogKeys.cluster)), .get(.key(LogKeys.head)), .get(LogKeys.records, first),
      ])
      guard let cluster = Self.entry(result.results, 0) else {
        if let entry = Self.entry(result.results, 1) ?? Self.entry(result.results, 2) {
          throw CommitLogError.foreign(entry.key, "exists, but no cluster does")
        }
        return CommitLogStatus(cluster: nil, head: 0, oldest: 1)
      }
      let identity = try Self.cluster(in: cluster).identity
      let head = try Self.head(in: Self.entry(result.results, 1))
      guard let record = Self.entry(result.results, 2) else {
        return CommitLogStatus(cluster: identity, head: head, oldest: head + 1)
      }
      guard let oldest = LogKeys.number(in: record.key), oldest <= head else {
        throw CommitLogError.foreign(record.key, "is no record up to the log's head, \(head)")
      }
      return CommitLogStatus(cluster: identity, head: head, oldest: oldest)
    }

    /// Creates the log unless there is one. A lost answer doesn't matter: the state tells whose log it is.
    func create(_ cluster: ClusterEntry) async throws -> CommitLogStatus {
      while true {
        do {
          _ = try await client.transaction(
            if: [.isMissing(LogKeys.cluster), .isMissing(LogKeys.head)],
            then: [
              .put(cluster.encoded, for: LogKeys.cluster),
              .put(DecimalNumber.bytes(cluster.base), for: LogKeys.head),
            ])
        } catch let error as EtcdError where error.mayHaveTakenEffect {}
        let status = try await status()
        if status.cluster != nil { return status }
        try await pause(for: Self.timeBetweenAttempts)
      }
    }

    // MARK: Records

    struct Read {
      var records: [CommitRecord]
      /// The revision at which they were all records that there were; nil if there may be more.
      var end: Int64?
    }

    /// Reads the records after a number: at most about a number of bytes of them, but at least one if there are any.
    ///
    /// - Parameter writer: The writer of the record with that number, as the caller has it; nil if it doesn't know.
    /// - Throws: ``CommitLogError``: `.restored` if the log lacks that record, or has another one in its place.
    func records(after number: UInt64, by writer: Int64? = nil, maximumBytes: Int) async throws -> Read {
      var records: [CommitRecord] = []
      var size = 0
      var (pageSize, mostEntries) = (Self.fewestEntries, Self.mostEntries)
      while true {
        let page: Page
        do {
          page = try await self.page(
            after: records.last?.number ?? number, by: records.isEmpty ? writer : nil, limit: pageSize)
        } catch let error as EtcdError where error.code == .tooLarge && pageSize > 1 {
          pageSize /= 2
          mostEntries = pageSize
          continue
        }
        for entry in page.entries {
          let next = (records.last?.number ?? number) + 1
          // A record's chunks can be trimmed while it is read. What came before is delivered.
          let record: CommitRecord
          do { record = try await self.record(next, in: entry) } catch {
            if records.isEmpty { throw error }
            return Read(records: records)
          }
          records.append(record)
          size += record.bytes.count
          if size >= maximumBytes { return Read(records: records) }
        }
        if !page.hasMore { return Read(records: records, end: page.revision) }
        // As many as are missing if they are as large as those before.
        let missing = (maximumBytes - size) / max(1, size / max(1, records.count)) + 1
        pageSize = min(pageSize * Self.growth, missing, mostEntries)
      }
    }

    private struct Page {
      var entries: [EtcdEntry]
      var hasMore: Bool
      var revision: Int64
    }

    private func page(after number: UInt64, by writer: Int64?, limit: Int) async throws -> Page {
      var options = EtcdReadOptions()
      options.limit = limit
      var newest = EtcdReadOptions()
      newest.limit = 1
      newest.order = .descending
      newest.keysOnly = true
      // Read the records, and what they are checked against, at one revision.
      var reads: [EtcdOperation] = [
        .get(LogKeys.records(after: number), options), .get(.key(LogKeys.head)), .get(.key(LogKeys.cluster)),
        .get(LogKeys.snapshots, newest),
      ]
      if writer != nil { reads.append(.get(.key(LogKeys.record(number)))) }
      let result = try await client.transaction(then: reads)
      let head = try Self.head(in: Self.entry(result.results, 1))
      let base = try Self.cluster(in: Self.entry(result.results, 2)).base
      // A log that was restored from a backup lacks the caller's record, or has another one in its place.
      guard number <= head else {
        throw CommitLogError(.restored, "its newest record is \(head), and record \(number) was there")
      }
      let own = Self.entry(result.results, 4).flatMap { LogEntry(decoding: $0.value) }
      if let writer, let own, own.writer != writer {
        throw CommitLogError(.restored, "record \(number) is another one now")
      }
      guard case .read(let read) = result.results.first else { throw CommitLogError.foreign("log/", "can't be read") }
      // The next record is there, unless it was trimmed after a snapshot.
      let isThere = read.entries.first?.key == LogKeys.record(number + 1)
      if number < head, !isThere {
        let snapshot = Self.entry(result.results, 3).flatMap { LogKeys.number(in: $0.key) } ?? 0
        guard number < max(base, snapshot) else {
          throw CommitLogError.foreign(LogKeys.record(number + 1), "is missing, and the log's head is \(head)")
        }
        throw CommitLogError(.trimmed, "record \(number + 1) is no longer in the log")
      }
      if number >= head, let entry = read.entries.first {
        throw CommitLogError.foreign(entry.key, "is after the log's head, \(head)")
      }
      return Page(entries: read.entries, hasMore: read.hasMore, revision: result.revision)
    }

    /// Decodes a record, and gets its chunks.
    func record(_ number: UInt64, in entry: EtcdEntry) async throws -> CommitRecord {
      guard LogKeys.number(in: entry.key) == number else {
        throw CommitLogError.foreign(entry.key, "follows record \(number - 1)")
      }
      guard let decoded = LogEntry(decoding: entry.value), decoded.number == number else {
        throw CommitLogError.foreign(entry.key, "has no record of this program, or one of a newer version")
      }
      switch decoded.content {
      case .bytes(let bytes): return CommitRecord(number: number, writer: decoded.writer, bytes: bytes)
      case .chunks(let list):
        guard list.size <= UInt64(ChunkReader.largestRecord) else {
          throw CommitLogError.foreign(entry.key, "names a record of \(list.size) bytes, which is too large")
        }
        var bytes: [UInt8] = []
        var reader = ChunkReader(client, list)
        do {
          while let chunk = try await reader.next() { bytes += chunk }
        } catch let error as CommitLogError where error.code == .foreign {
          if try await client.get(entry.key) != nil { throw error }
          throw CommitLogError(.trimmed, "record \(number) is no longer in the log")
        }
        return CommitRecord(number: number, writer: decoded.writer, bytes: bytes)
      }
    }

    // MARK: Values

    static func entry(_ results: [EtcdTransactionResult.OperationResult], _ index: Int) -> EtcdEntry? {
      guard results.indices.contains(index), case .read(let read) = results[index] else { return nil }
      return read.entries.first
    }

    static func cluster(in entry: EtcdEntry?) throws -> ClusterEntry {
      guard let entry, let cluster = ClusterEntry(decoding: entry.value) else {
        throw CommitLogError.foreign(LogKeys.cluster, "has no cluster's identity")
      }
      return cluster
    }

    static func head(in entry: EtcdEntry?) throws -> UInt64 {
      guard let entry, let head = DecimalNumber.value(entry.value), head < .max else {
        throw CommitLogError.foreign(LogKeys.head, "has no record's number")
      }
      return head
    }

    static func head(in result: EtcdTransactionResult.OperationResult?) throws -> UInt64 {
      guard case .read(let read) = result else { throw CommitLogError.foreign(LogKeys.head, "can't be read") }
      return try head(in: read.entries.first)
    }
  }

#endif
