#if Etcd

  struct Compare: Encodable {
    private let key: Base64
    private let result: String
    private let target: String
    private var value: Base64?
    private var version, createRevision, modRevision, lease: Int64Text?

    enum CodingKeys: String, CodingKey {
      case key, result, target, value, version, lease
      case createRevision = "create_revision"
      case modRevision = "mod_revision"
    }

    init(_ comparison: EtcdComparison, in keyspace: Keyspace) {
      key = Base64(keyspace.stored(comparison.key))
      result = comparison.relation.rawValue
      switch comparison.attribute {
      case .value(let bytes): (target, value) = ("VALUE", Base64(bytes))
      case .version(let number): (target, version) = ("VERSION", Int64Text(number))
      case .createRevision(let number): (target, createRevision) = ("CREATE", Int64Text(number))
      case .modRevision(let number): (target, modRevision) = ("MOD", Int64Text(number))
      case .lease(let number): (target, lease) = ("LEASE", Int64Text(number))
      }
    }
  }

  struct RequestOperation: Encodable {
    private var range: RangeRequest?
    private var put: PutRequest?
    private var delete: DeleteRequest?

    enum CodingKeys: String, CodingKey {
      case range = "request_range"
      case put = "request_put"
      case delete = "request_delete_range"
    }

    init(_ operation: EtcdOperation, in keyspace: Keyspace) {
      switch operation {
      case .get(let range, let options): self.range = RangeRequest(range, options, in: keyspace)
      case .put(let value, let key, let lease): put = PutRequest(value, key, lease, in: keyspace)
      case .delete(let range): delete = DeleteRequest(range, in: keyspace)
      }
    }
  }

  struct TransactionRequest: Encodable {
    let compare: [Compare]
    let success, failure: [RequestOperation]

    init(
      _ comparisons: [EtcdComparison], _ success: [EtcdOperation], _ failure: [EtcdOperation], in keyspace: Keyspace
    ) {
      compare = comparisons.map { Compare($0, in: keyspace) }
      self.success = success.map { RequestOperation($0, in: keyspace) }
      self.failure = failure.map { RequestOperation($0, in: keyspace) }
    }
  }

  struct ResponseOperation: Decodable, Sendable {
    private let range: RangeResponse?
    private let put: NoFields?
    private let delete: DeleteResponse?

    enum CodingKeys: String, CodingKey {
      case range = "response_range"
      case put = "response_put"
      case delete = "response_delete_range"
    }

    func result(at revision: Int64, in keyspace: Keyspace) throws -> EtcdTransactionResult.OperationResult {
      if put != nil { return .put }
      if let delete { return .deleted(Int(delete.deleted?.value ?? 0)) }
      let read = try range?.result(in: keyspace)
      // The headers of operations have only some fields.
      return .read(EtcdReadResult(entries: read?.entries ?? [], count: read?.count ?? 0, revision: revision))
    }
  }

  struct TransactionResponse: Decodable, Sendable {
    private let header: Header?
    private let succeeded: Bool?
    private let responses: [ResponseOperation]?

    func result(in keyspace: Keyspace) throws -> EtcdTransactionResult {
      let revision = header?.revision?.value ?? 0
      return EtcdTransactionResult(
        isSuccess: succeeded ?? false, revision: revision,
        results: try (responses ?? []).map { try $0.result(at: revision, in: keyspace) })
    }
  }

#endif
