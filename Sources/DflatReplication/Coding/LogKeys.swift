#if Etcd

  import DflatEtcd

  /// The keys of a log, below the client's prefix.
  ///
  ///     cluster            the cluster's identity, and the commit that the log begins after
  ///     head               the number of the newest record, in decimal digits
  ///     log/<number>       a record (`LogEntry`)
  ///     chunk/<id>/<i>     a part of a large record or of a snapshot; chunk/<id>/writing until it is complete
  ///     snapshot/<number>  describes a snapshot (`SnapshotEntry`)
  ///     snapshotter        the process that makes a snapshot because one is due
  ///     turn               the process that may append (`TurnPicture`)
  ///     wait/<lease>       a process that waits for the turn
  ///
  /// Numbers in keys have 16 hexadecimal digits, so that etcd's order is theirs; leases have as many as they need.
  enum LogKeys {
    static let cluster: EtcdKey = "cluster"
    static let head: EtcdKey = "head"
    static let snapshotter: EtcdKey = "snapshotter"
    static let turn: EtcdKey = "turn"
    static let records = EtcdKeyRange.prefix("log/")
    static let chunks = EtcdKeyRange.prefix("chunk/")
    static let snapshots = EtcdKeyRange.prefix("snapshot/")
    /// The turn and all waiters: "0" follows "/". One watch covers both.
    static let turnAndWaiters = EtcdKeyRange.range(from: "turn", to: "wait0")

    static func record(_ number: UInt64) -> EtcdKey { EtcdKey("log/" + digits(number)) }
    static func snapshot(_ number: UInt64) -> EtcdKey { EtcdKey("snapshot/" + digits(number)) }
    static func wait(_ lease: EtcdLease.ID) -> EtcdKey { EtcdKey("wait/\(lease)") }
    static func chunk(_ index: UInt64, of id: String) -> EtcdKey { EtcdKey("chunk/\(id)/" + digits(index)) }
    /// Exists, with the writer's lease, as long as chunks are written that nothing names yet.
    static func writing(_ id: String) -> EtcdKey { EtcdKey("chunk/\(id)/writing") }
    static func chunks(of id: String) -> EtcdKeyRange { .prefix(EtcdKey("chunk/\(id)/")) }

    /// Returns the chunks of the records up to a number.
    static func recordChunks(through number: UInt64) -> EtcdKeyRange {
      .range(from: "chunk/r", to: EtcdKey("chunk/r" + digits(number + 1)))
    }

    /// Returns the records with numbers above one.
    static func records(after number: UInt64) -> EtcdKeyRange {
      // There is no number after the last one, and "log0" follows all records.
      number == .max ? .range(from: "log0", to: "log0") : .range(from: record(number + 1), to: "log0")
    }

    /// Returns the number at the end of a key of a record or a snapshot; nil if there is none.
    static func number(in key: EtcdKey) -> UInt64? {
      guard let slash = key.bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      return number(ofDigits: key.bytes[(slash + 1)...])
    }

    /// Returns the lease in a waiter's key; nil if there is none.
    static func lease(ofWaiter key: EtcdKey) -> EtcdLease.ID? {
      guard key.bytes.starts(with: "wait/".utf8) else { return nil }
      let number = UInt64(String(decoding: key.bytes.dropFirst(5), as: UTF8.self), radix: 16)
      guard let number else { return nil }
      let lease = EtcdLease.ID(Int64(bitPattern: number))
      return wait(lease) == key ? lease : nil
    }

    /// Returns the id in a chunk's key; nil if there is none.
    static func id(ofChunk key: EtcdKey) -> String? {
      let parts = key.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      return parts.count == 3 ? String(validating: parts[1], as: UTF8.self) : nil
    }

    static func digits(_ number: UInt64) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns nil unless the text is what `digits` returns.
    static func number(ofDigits text: some Collection<UInt8>) -> UInt64? {
      guard text.count == 16, let number = UInt64(String(decoding: text, as: UTF8.self), radix: 16),
        digits(number).utf8.elementsEqual(text)
      else { return nil }
      return number
    }
  }

#endif
