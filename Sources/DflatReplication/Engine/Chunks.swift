#if Etcd

  import DflatCore
  import DflatEtcd

  /// Stores the chunks of one record or snapshot.
  ///
  /// While it does, a key with the writer's lease says that they are not orphans. The transaction that names them deletes
  /// it.
  final class ChunkWriter: Sendable {
    static let chunkSize = 1 << 20
    private static let timeBetweenAttempts = Duration.milliseconds(100)

    private let client: EtcdClient
    private let lease: EtcdLease.ID
    private let id: String
    private let written: Lock<(list: ChunkList, checksum: Checksum)>

    init(_ client: EtcdClient, _ owner: ChunkID.Owner, _ number: UInt64, lease: EtcdLease.ID) {
      (self.client, self.lease) = (client, lease)
      id = ChunkID.make(owner, number)
      written = Lock((ChunkList(id: id, count: 0, size: 0, checksum: Checksum().value), Checksum()))
    }

    /// Begins to write. Call this first.
    func begin() async throws {
      try await repeating { [self] in
        try await client.put([], for: LogKeys.writing(id), lease: lease)
      }
    }

    /// Writes a chunk. One task at a time calls this.
    func add(_ chunk: [UInt8]) async throws {
      let index = written.withLock(\.list.count)
      try await repeating { [self] in try await client.put(chunk, for: LogKeys.chunk(index, of: id)) }
      written.withLock { written in
        written.checksum.add(chunk)
        written.list.count += 1
        written.list.size += UInt64(chunk.count)
        written.list.checksum = written.checksum.value
      }
    }

    /// Everything that was written.
    var list: ChunkList { written.withLock(\.list) }

    /// Writes a whole record.
    func write(_ bytes: [UInt8]) async throws -> ChunkList {
      guard bytes.count <= ChunkReader.largestRecord else {
        throw CommitLogError(
          .tooLarge, "the record has \(bytes.count) bytes, and at most \(ChunkReader.largestRecord) can be stored")
      }
      try await begin()
      for start in stride(from: 0, to: bytes.count, by: Self.chunkSize) {
        try await add([UInt8](bytes[start..<min(start + Self.chunkSize, bytes.count)]))
      }
      return list
    }

    /// Repeats a write that can be done twice, until the task is cancelled.
    private func repeating(_ write: () async throws -> some Sendable) async throws {
      while true {
        do {
          _ = try await write()
          return
        } catch let error as EtcdError where error.code == .unavailable && !Task.isCancelled {
          try await pause(for: Self.timeBetweenAttempts)
        }
      }
    }
  }

  /// Reads chunks in order, and checks them.
  struct ChunkReader: Sendable {
    /// The largest record, in bytes: it is assembled in memory.
    static let largestRecord = 256 << 20

    private let client: EtcdClient
    private let list: ChunkList
    private var index: UInt64 = 0
    private var size: UInt64 = 0
    private var checksum = Checksum()

    init(_ client: EtcdClient, _ list: ChunkList) { (self.client, self.list) = (client, list) }

    /// Returns the next chunk; nil at the end.
    ///
    /// - Throws: ``CommitLogError`` with code `.foreign` if a chunk is missing, or the whole is not what it should be.
    mutating func next() async throws -> [UInt8]? {
      if index == list.count {
        guard size == list.size, checksum.value == list.checksum else {
          throw CommitLogError.foreign(LogKeys.chunk(0, of: list.id), "and those after it are damaged")
        }
        return nil
      }
      let key = LogKeys.chunk(index, of: list.id)
      guard let entry = try await client.get(key) else { throw CommitLogError.foreign(key, "is missing") }
      index += 1
      size += UInt64(entry.value.count)
      guard size <= list.size else { throw CommitLogError.foreign(key, "is too long") }
      checksum.add(entry.value)
      return entry.value
    }
  }

#endif
