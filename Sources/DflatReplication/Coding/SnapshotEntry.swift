#if Etcd

  import DflatCore

  /// A complete snapshot, as `snapshot/<number>` describes it: a version byte and a `ChunkList`.
  struct SnapshotEntry: Equatable {
    private static let version: UInt8 = 1

    var chunks: ChunkList

    init(chunks: ChunkList) { self.chunks = chunks }

    var encoded: [UInt8] {
      var writer = RecordWriter()
      writer.write(Self.version)
      chunks.write(to: &writer)
      return writer.bytes
    }

    /// Decodes a description. Returns nil for malformed bytes.
    init?(decoding bytes: [UInt8]) {
      var reader = RecordReader(bytes)
      guard reader.byte() == Self.version, let chunks = ChunkList(reading: &reader), reader.isAtEnd else { return nil }
      self.chunks = chunks
    }
  }

#endif
