#if Etcd

  struct LeaseGrantRequest: Encodable {
    let ttl: Int64Text

    enum CodingKeys: String, CodingKey { case ttl = "TTL" }
  }

  struct LeaseRequest: Encodable {
    let id: Int64Text

    enum CodingKeys: String, CodingKey { case id = "ID" }
  }

  struct LeaseStatusRequest: Encodable {
    let id: Int64Text
    let keys: Bool

    enum CodingKeys: String, CodingKey {
      case id = "ID"
      case keys
    }
  }

  struct LeaseResponse: Decodable, Sendable {
    let id, ttl: Int64Text?

    enum CodingKeys: String, CodingKey {
      case id = "ID"
      case ttl = "TTL"
    }

    var lease: EtcdLease {
      get throws {
        guard let id, let ttl else {
          throw EtcdError(
            .unexpectedAnswer, "etcd grants a lease without saying which: check the endpoints.",
            mayHaveTakenEffect: true)
        }
        return EtcdLease(id: EtcdLease.ID(id.value), timeToLive: .seconds(ttl.value))
      }
    }
  }

  struct LeaseStatusResponse: Decodable, Sendable {
    let ttl, grantedTTL: Int64Text?
    let keys: [Base64]?

    enum CodingKeys: String, CodingKey {
      case ttl = "TTL"
      case grantedTTL, keys
    }
  }

#endif
