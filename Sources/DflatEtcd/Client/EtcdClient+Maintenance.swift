#if Etcd

  extension EtcdClient {
    /// Returns what each endpoint says of itself, or why it doesn't answer, in the configuration's order.
    public func endpointStatuses() async -> [(endpoint: String, status: Result<EtcdEndpointStatus, EtcdError>)] {
      await withTaskGroup { group in
        let endpoints = gateway.endpoints
        for (index, endpoint) in endpoints.enumerated() {
          group.addTask { (index, await self.status(of: endpoint)) }
        }
        var statuses: [Int: Result<EtcdEndpointStatus, EtcdError>] = [:]
        for await (index, status) in group { statuses[index] = status }
        return endpoints.indices.compactMap { index in statuses[index].map { (endpoints[index], $0) } }
      }
    }

    private func status(of endpoint: String) async -> Result<EtcdEndpointStatus, EtcdError> {
      do {
        let answer: StatusResponse = try await gateway.call(
          "maintenance/status", NoFields(), .only(endpoint), needsLeader: false)
        return .success(answer.status(of: endpoint))
      } catch let error as EtcdError {
        return .failure(error)
      } catch {
        return .failure(EtcdError(.failed, "The status of \(endpoint) can't be read.", underlying: error))
      }
    }

    /// Returns the members of the cluster.
    ///
    /// - Throws: ``EtcdError``.
    public func members() async throws -> [EtcdMember] {
      let answer: MemberListResponse = try await gateway.call(
        "cluster/member/list", NoFields(), .repeatable, needsLeader: false)
      return (answer.members ?? []).map(\.member)
    }

    /// Returns the alarms that stand.
    ///
    /// - Throws: ``EtcdError``.
    public func alarms() async throws -> [EtcdAlarm] {
      let answer: AlarmResponse = try await gateway.call(
        "maintenance/alarm", AlarmRequest(action: "GET"), .repeatable, needsLeader: false)
      return (answer.alarms ?? []).map(\.alarm)
    }

    /// Ends all alarms of the kind `.noSpace`. Free space first, or they return with the next write.
    ///
    /// - Throws: ``EtcdError``.
    public func disarmNoSpaceAlarms() async throws {
      for alarm in try await alarms() where alarm.kind == .noSpace {
        let request = AlarmRequest(action: "DEACTIVATE", memberID: UInt64Text(alarm.member), alarm: "NOSPACE")
        let _: AlarmResponse = try await gateway.call("maintenance/alarm", request, .repeatableWrite)
      }
    }

    /// Gives the space that compaction has freed back to the file system, on one member, which answers nothing else
    /// meanwhile. Call it for one endpoint after the other. It takes seconds to minutes, and ends as `.unavailable`
    /// after ``EtcdConfiguration/defragmentationTimeout``. The member then goes on nevertheless
    /// (``EtcdError/mayHaveTakenEffect``): before you turn to the next one, wait until its
    /// ``EtcdEndpointStatus/databaseSize`` has fallen (``endpointStatuses()``).
    ///
    /// - Parameter endpoint: One of the configuration's endpoints.
    /// - Throws: ``EtcdError``.
    public func defragment(_ endpoint: String) async throws {
      let _: NoFields = try await gateway.call(
        "maintenance/defragment", NoFields(), .defragmentation(of: endpoint), needsLeader: false)
    }
  }

#endif
