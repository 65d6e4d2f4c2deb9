#if Etcd

  import DflatCore

  /// Names the chunks that make up a large record or a snapshot.
  struct ChunkList: Equatable {
    /// "r" or "s", the number of the record or snapshot, and random digits.
    var id: String
    var count: UInt64
    var size: UInt64
    var checksum: UInt64

    func write(to writer: inout RecordWriter) {
      writer.write(counted: id)
      for number in [count, size, checksum] { writer.write(number) }
    }

    init(id: String, count: UInt64, size: UInt64, checksum: UInt64) {
      (self.id, self.count, self.size, self.checksum) = (id, count, size, checksum)
    }

    /// Returns nil for malformed bytes.
    init?(reading reader: inout RecordReader) {
      guard let bytes = reader.counted(), let id = String(validating: bytes, as: UTF8.self), ChunkID(id) != nil,
        let count = reader.number(), let size = reader.number(), let checksum = reader.number(), count <= size
      else { return nil }
      self.init(id: id, count: count, size: size, checksum: checksum)
    }
  }

  /// The parts of a chunk list's id.
  struct ChunkID {
    enum Owner: Character {
      case record = "r"
      case snapshot = "s"
    }

    let owner: Owner
    let number: UInt64

    init?(_ id: String) {
      guard id.utf8.count == 34, let first = id.first, let owner = Owner(rawValue: first),
        let number = LogKeys.number(ofDigits: id.utf8.dropFirst().prefix(16)), id.utf8.dropFirst(17).first == 0x2d,
        LogKeys.number(ofDigits: id.utf8.dropFirst(18)) != nil
      else { return nil }
      (self.owner, self.number) = (owner, number)
    }

    static func make(_ owner: Owner, _ number: UInt64) -> String {
      "\(owner.rawValue)\(LogKeys.digits(number))-\(LogKeys.digits(.random(in: .min ... .max)))"
    }
  }

#endif
