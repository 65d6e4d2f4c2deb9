#if Etcd

  import DflatCore

  /// A record as `log/<number>` stores it.
  ///
  ///     entry   = 0x01 form: byte  number  writer: number  attempt: number  content
  ///     content = the record's bytes if form is 0, a `ChunkList` if it is 1
  ///
  /// A later version may add forms, for example compressed ones.
  struct LogEntry: Equatable {
    enum Content: Equatable {
      case bytes([UInt8])
      case chunks(ChunkList)
    }

    private static let version: UInt8 = 1

    var number: UInt64
    var writer: Int64
    /// A random number by which the writer recognizes its own append after it has lost the answer.
    var attempt: UInt64
    var content: Content

    init(number: UInt64, writer: Int64, attempt: UInt64, content: Content) {
      (self.number, self.writer, self.attempt, self.content) = (number, writer, attempt, content)
    }

    var encoded: [UInt8] {
      var writer = RecordWriter()
      writer.write(Self.version)
      writer.write(content.form)
      writer.write(number)
      writer.write(UInt64(bitPattern: self.writer))
      writer.write(attempt)
      switch content {
      case .bytes(let bytes): writer.write(counted: bytes)
      case .chunks(let list): list.write(to: &writer)
      }
      return writer.bytes
    }

    /// Decodes an entry. Returns nil for malformed bytes.
    init?(decoding bytes: [UInt8]) {
      var reader = RecordReader(bytes)
      guard reader.byte() == Self.version, let form = reader.byte(), let number = reader.number(),
        let writer = reader.number(), let attempt = reader.number()
      else { return nil }
      switch form {
      case 0:
        guard let content = reader.counted() else { return nil }
        self.content = .bytes([UInt8](content))
      case 1:
        guard let list = ChunkList(reading: &reader) else { return nil }
        content = .chunks(list)
      default: return nil
      }
      guard reader.isAtEnd else { return nil }
      (self.number, self.writer, self.attempt) = (number, Int64(bitPattern: writer), attempt)
    }
  }

  extension LogEntry.Content {
    fileprivate var form: UInt8 {
      switch self {
      case .bytes: 0
      case .chunks: 1
      }
    }
  }

#endif
