#if Etcd

  // The fields of etcd's `rpc.proto` and `kv.proto` (https://github.com/etcd-io/etcd/tree/main/api) that the client uses.

  struct Header: Decodable, Sendable {
    let revision: Int64Text?
  }

  /// An answer of which only the header is of interest.
  struct HeaderResponse: Decodable, Sendable {
    private let header: Header?

    var revision: Int64 { header?.revision?.value ?? 0 }
  }

  /// A request or an answer without fields.
  struct NoFields: Codable, Sendable {}

  struct KeyValue: Decodable, Sendable {
    let key: Base64
    let value: Base64?
    let createRevision, modRevision, version, lease: Int64Text?

    enum CodingKeys: String, CodingKey {
      case key, value, version, lease
      case createRevision = "create_revision"
      case modRevision = "mod_revision"
    }

    func entry(in keyspace: Keyspace) throws -> EtcdEntry {
      guard let key = keyspace.key(fromStored: key.bytes) else {
        throw EtcdError(
          .unexpectedAnswer, "etcd answers with a key outside of the client's prefix: check the endpoints.")
      }
      return EtcdEntry(
        key: key, value: value?.bytes ?? [], createRevision: createRevision?.value ?? 0,
        modRevision: modRevision?.value ?? 0, version: version?.value ?? 0,
        lease: lease.flatMap { $0.value == 0 ? nil : EtcdLease.ID($0.value) })
    }
  }

  struct RangeRequest: Encodable {
    let key: Base64
    let rangeEnd: Base64?
    let limit, revision: Int64Text?
    let sortOrder: String?
    let serializable, keysOnly, countOnly: Bool?

    enum CodingKeys: String, CodingKey {
      case key, limit, revision, serializable
      case rangeEnd = "range_end"
      case sortOrder = "sort_order"
      case keysOnly = "keys_only"
      case countOnly = "count_only"
    }

    init(_ range: EtcdKeyRange, _ options: EtcdReadOptions, in keyspace: Keyspace) {
      let (first, end) = keyspace.bounds(of: range)
      key = Base64(first)
      rangeEnd = end.map { Base64($0) }
      // etcd takes a limit of 0 for none.
      limit = options.limit.flatMap { $0 > 0 ? Int64Text(Int64($0)) : nil }
      countOnly = options.limit.flatMap { $0 > 0 ? nil : true }
      revision = options.revision.map { Int64Text($0) }
      sortOrder = options.order == .descending ? "DESCEND" : nil
      serializable = options.isSerializable ? true : nil
      keysOnly = options.keysOnly ? true : nil
    }
  }

  struct RangeResponse: Decodable, Sendable {
    let header: Header?
    let kvs: [KeyValue]?
    let count: Int64Text?

    func result(in keyspace: Keyspace) throws -> EtcdReadResult {
      EtcdReadResult(
        entries: try (kvs ?? []).map { try $0.entry(in: keyspace) }, count: Int(count?.value ?? 0),
        revision: header?.revision?.value ?? 0)
    }
  }

  struct PutRequest: Encodable {
    let key, value: Base64
    let lease: Int64Text?

    init(_ value: [UInt8], _ key: EtcdKey, _ lease: EtcdLease.ID?, in keyspace: Keyspace) {
      self.key = Base64(keyspace.stored(key))
      self.value = Base64(value)
      self.lease = lease.map { Int64Text($0.number) }
    }
  }

  struct DeleteRequest: Encodable {
    let key: Base64
    let rangeEnd: Base64?

    enum CodingKeys: String, CodingKey {
      case key
      case rangeEnd = "range_end"
    }

    init(_ range: EtcdKeyRange, in keyspace: Keyspace) {
      let (first, end) = keyspace.bounds(of: range)
      key = Base64(first)
      rangeEnd = end.map { Base64($0) }
    }
  }

  struct DeleteResponse: Decodable, Sendable {
    let deleted: Int64Text?
  }

  struct CompactionRequest: Encodable {
    let revision: Int64Text
    let physical: Bool
  }

#endif
