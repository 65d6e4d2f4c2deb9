#if Etcd

  /// A message of a stream: a result, or the error that ends it.
  struct StreamMessage<Value: Decodable & Sendable>: Decodable, Sendable {
    let result: Value?
    let error: StreamError?
  }

  struct StreamError: Decodable, Sendable {
    private let grpcCode, code: Int?
    private let message: String?

    enum CodingKeys: String, CodingKey {
      case grpcCode = "grpc_code"
      case code, message
    }

    /// The code of gRPC; 2 means an unknown error.
    var number: Int { grpcCode ?? code ?? 2 }
    var text: String { message ?? "an unnamed error" }
  }

  struct WatchRequest: Encodable {
    let createRequest: Creation

    struct Creation: Encodable {
      let key: Base64
      let rangeEnd: Base64?
      let startRevision: Int64Text
      let previous: Bool
      /// Asks etcd to split messages that are larger than its requests may be.
      let fragment = true

      enum CodingKeys: String, CodingKey {
        case key, fragment
        case rangeEnd = "range_end"
        case startRevision = "start_revision"
        case previous = "prev_kv"
      }
    }

    enum CodingKeys: String, CodingKey { case createRequest = "create_request" }
  }

  struct WatchResponse: Decodable, Sendable {
    let header: Header?
    let canceled: Bool?
    /// True if the next message continues this one.
    let fragment: Bool?
    let reason: String?
    let compactRevision: Int64Text?
    let events: [Event]?

    enum CodingKeys: String, CodingKey {
      case header, canceled, fragment, events
      case reason = "cancel_reason"
      case compactRevision = "compact_revision"
    }
  }

  struct Event: Decodable, Sendable {
    private let type: String?
    private let kv: KeyValue?
    private let previous: KeyValue?

    enum CodingKeys: String, CodingKey {
      case type, kv
      case previous = "prev_kv"
    }

    func event(in keyspace: Keyspace) throws -> EtcdEvent {
      guard let kv else {
        throw EtcdError(.unexpectedAnswer, "etcd reports a change without its key: check the endpoints.")
      }
      return EtcdEvent(
        kind: type == "DELETE" ? .delete : .put, entry: try kv.entry(in: keyspace),
        previous: try previous?.entry(in: keyspace))
    }
  }

#endif
