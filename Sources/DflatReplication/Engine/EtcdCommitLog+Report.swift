#if Etcd

  import DflatCore
  import DflatEtcd

  extension EtcdCommitLog {
    func report(within timeout: Duration) throws -> CommitLogReport {
      let snapshot = try newestSnapshot(within: timeout)
      return try blocking(within: timeout) { [client, store, me] in
        let status = try await store.status()
        let read = try await client.get(LogKeys.turnAndWaiters)
        var picture = TurnPicture(me: me)
        picture.load(read.entries, at: read.revision)
        let members = await client.endpointStatuses().map { endpoint, status in
          CommitLogReport.Member(endpoint: endpoint, state: Self.state(status))
        }
        return CommitLogReport(
          status: status, snapshot: snapshot, holder: picture.holder?.process,
          waiters: picture.waiters.values.sorted { $0.place < $1.place }.map(\.process), members: members,
          // A user without the role root may not read them.
          alarms: (try? await client.alarms())?.map(Self.text) ?? ["the alarms can't be read"])
      }
    }

    private static func state(_ status: Result<EtcdEndpointStatus, EtcdError>) -> CommitLogReport.State {
      switch status {
      case .success(let status):
        .answers(
          isLeader: status.isLeader, version: status.version, storedBytes: status.databaseSize,
          usedBytes: status.usedSize)
      case .failure(let error): .fails(error.message)
      }
    }

    private static func text(of alarm: EtcdAlarm) -> String {
      let kind =
        switch alarm.kind {
        case .noSpace: "the store is full (NOSPACE)"
        case .corrupt: "the store is damaged (CORRUPT)"
        case .other(let name): name
        }
      return "member \(String(alarm.member, radix: 16)): \(kind)"
    }
  }

#endif
