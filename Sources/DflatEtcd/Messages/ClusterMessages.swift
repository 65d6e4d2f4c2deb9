#if Etcd

  struct ErrorResponse: Decodable, Sendable {
    private let error, message: String?
    private let code: Int?

    /// The code of gRPC; 2 means an unknown error.
    var number: Int { code ?? 2 }
    var text: String? { message ?? error }
  }

  struct AuthenticateRequest: Encodable {
    let name, password: String
  }

  struct AuthenticateResponse: Decodable, Sendable {
    let token: String
  }

  struct StatusResponse: Decodable, Sendable {
    private let header: StatusHeader?
    private let version: String?
    private let dbSize, dbSizeInUse: Int64Text?
    private let leader: UInt64Text?

    struct StatusHeader: Decodable, Sendable {
      let member: UInt64Text?
      let revision: Int64Text?

      enum CodingKeys: String, CodingKey {
        case member = "member_id"
        case revision
      }
    }

    func status(of endpoint: String) -> EtcdEndpointStatus {
      EtcdEndpointStatus(
        endpoint: endpoint, member: header?.member?.value ?? 0,
        leader: leader.flatMap { $0.value == 0 ? nil : $0.value }, version: version ?? "",
        revision: header?.revision?.value ?? 0, databaseSize: dbSize?.value ?? 0, usedSize: dbSizeInUse?.value ?? 0)
    }
  }

  struct MemberListResponse: Decodable, Sendable {
    let members: [Member]?

    struct Member: Decodable, Sendable {
      private let id: UInt64Text?
      private let name: String?
      private let clientURLs: [String]?
      private let isLearner: Bool?

      enum CodingKeys: String, CodingKey {
        case id = "ID"
        case name, clientURLs, isLearner
      }

      var member: EtcdMember {
        EtcdMember(id: id?.value ?? 0, name: name ?? "", clientURLs: clientURLs ?? [], isLearner: isLearner ?? false)
      }
    }
  }

  struct AlarmRequest: Encodable {
    let action: String
    var memberID: UInt64Text?
    var alarm: String?
  }

  struct AlarmResponse: Decodable, Sendable {
    let alarms: [Alarm]?

    struct Alarm: Decodable, Sendable {
      private let memberID: UInt64Text?
      private let name: String?

      enum CodingKeys: String, CodingKey {
        case memberID
        case name = "alarm"
      }

      var alarm: EtcdAlarm {
        let kind: EtcdAlarm.Kind =
          switch name {
          case "NOSPACE": .noSpace
          case "CORRUPT": .corrupt
          default: .other(name ?? "NONE")
          }
        return EtcdAlarm(member: memberID?.value ?? 0, kind: kind)
      }
    }
  }

#endif
