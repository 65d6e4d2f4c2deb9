import DflatEtcd
import EtcdTestSupport
import Testing

@testable import DflatCore
@testable import DflatReplication

struct TurnTests {
  @Test("A holder keeps the turn, and gives it to whoever waits")
  func passing() async throws {
    try await LogPlace().withLogs(2) { (logs) throws in
      let turn = try logs[0].takeTurn(within: enough)
      #expect(try logs[0].takeTurn(within: enough) == turn)
      let isWanted = Promise<Void>()
      logs[0].onTurnWanted { isWanted.fulfill(()) }
      let second = Promise<Turn?>()
      Threads.run { second.fulfill(try? logs[1].takeTurn(within: enough)) }
      isWanted.wait()
      logs[0].giveBack(turn)
      let next = try #require(second.wait())
      #expect(next.id > turn.id && next.head == 0)
      #expect(logs[0].append(record(1), with: turn, within: enough).isFenced)
      #expect(logs[1].append(record(1), with: next, within: enough).isAppended)
    }
  }

  @Test("Three logs under load append each record once, and take turns")
  func load() async throws {
    let (processes, each) = (3, 60)
    try await LogPlace().withLogs(processes) { (logs) throws in
      let results = logs.map { _ in Promise<String?>() }
      for (index, log) in logs.enumerated() {
        log.onTurnWanted { [weak log] in
          if let log, let turn = log.board.read({ $0.held?.turn }), turn.head >= UInt64(processes * each) {
            log.giveBack(turn)
          }
        }
        Threads.run {
          var failure: String?
          do { try log.append(each, writer: Int64(index)) } catch { failure = "\(error)" }
          // A process that has nothing more to write gives the turn back when others wait.
          if let turn = log.board.read({ $0.held?.turn }) { log.giveBack(turn) }
          results[index].fulfill(failure)
        }
      }
      for result in results { #expect(result.wait() == nil) }
      let seen = try logs[0].allRecords(after: 0, through: UInt64(processes * each))
      #expect(seen.map(\.number) == Array(1...UInt64(processes * each)))
      for index in 0..<processes { #expect(seen.count { $0.writer == Int64(index) } == each) }
      // Nobody appends all of its records while the others wait.
      #expect(zip(seen, seen.dropFirst()).count { $0.writer != $1.writer } >= processes)
    }
  }

  @Test("A holder whose lease has ended appends nothing")
  func fencing() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      try logs[0].append(1)
      let turn = try logs[0].takeTurn(within: enough)
      try place.withKeys { keys in
        let lease = try #require(try await keys.get(LogKeys.turn)?.lease)
        try await keys.revoke(lease)
      }
      try logs[1].append(1, writer: 2)
      logs[1].giveBack(try logs[1].takeTurn(within: enough))
      #expect(logs[0].append(record(2), with: turn, within: enough).isFenced)
      #expect(try logs[0].takeTurn(within: enough).head == 2)
      try logs[0].append(1)
      #expect(try logs[0].allRecords(after: 0, through: 3).map(\.writer) == [1, 2, 1])
    }
  }

  @Test("A turn that doesn't come in time is not waited for any more")
  func givingUp() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      let turn = try logs[0].takeTurn(within: enough)
      // The other log is in the queue by then, or the member is too slow.
      let error = code { _ = try logs[1].takeTurn(within: .milliseconds(300)) }
      #expect(error == .busy || error == .unavailable)
      // The holder sees the place disappear.
      try place.withKeys { keys in
        let read = try await keys.get(LogKeys.turnAndWaiters)
        if read.entries.count == 1 { return }
        for try await changes in keys.watch(LogKeys.turnAndWaiters, after: read.revision) {
          #expect(changes.events.map(\.kind) == [.delete])
          break
        }
      }
      #expect(logs[0].append(record(1), with: turn, within: enough).isAppended)
      #expect(try logs[0].takeTurn(within: enough).id == turn.id)
    }
  }

  enum Loss: CaseIterable { case placeTaken, placeGivenUp }

  @Test("A call that has given up leaves no place before others, whatever was lost", arguments: Loss.allCases)
  func givingUpWithLosses(_ loss: Loss) async throws {
    let place = try await LogPlace()
    let member = place.member
    let losses = Lock(loss == .placeTaken ? 1 : 3)
    let proxy = try await FaultyEndpoint { request, _ in
      if request.path == "/v3/watch" { return .forwardStream(to: member, messages: .max) }
      // Taking a place compares nothing, giving it up puts nothing.
      let puts = request.body.contains("request_put")
      let isMeant =
        switch loss {
        case .placeTaken: puts && !request.body.contains("EQUAL")
        case .placeGivenUp: !puts && request.body.contains("request_delete_range")
        }
      let isLost =
        isMeant
        && losses.withLock { losses in
          losses -= 1
          return losses >= 0
        }
      guard isLost else { return .forward(to: member) }
      return loss == .placeTaken ? .forwardAndHang(to: member, then: {}) : .close
    }
    try await place.withLogs { (logs) throws in
      // The leases would last for longer than the other one waits.
      let holder = try place.open(leaseTime: .seconds(600))
      try holder.append(1)
      let waiter = try place.through(proxy.endpoint).open(leaseTime: .seconds(600))
      let error = code { _ = try waiter.takeTurn(within: .milliseconds(500)) }
      // Whether it has a place decides what it waits for; a slow member never tells.
      #expect(error == .unavailable || error == .busy && loss == .placeGivenUp)
      // The turn is free now.
      holder.close()
      #expect(try logs[0].takeTurn(within: enough).head == 1)
      waiter.close()
    }
  }

  @Test("A member that is gone without a word delays the turn for less time than transactions wait for it")
  func silentMember() async throws {
    let place = try await LogPlace()
    let member = place.member
    let (used, gone) = (Lock<Int?>(nil), Lock<Int?>(nil))
    var proxies: [FaultyEndpoint] = []
    for index in 0..<2 {
      proxies.append(
        try await FaultyEndpoint { request, _ in
          let isAlive = { @Sendable in gone.withLock { $0 != index } }
          if !isAlive() { return .hang }
          guard request.path == "/v3/watch" else { return .forward(to: member) }
          used.withLock { $0 = index }
          return .forwardStreamWhile(to: member, isAlive)
        })
    }
    var throughBoth = place
    throughBoth.configuration.endpoints = proxies.map(\.endpoint)
    let waiter = try throughBoth.open()
    try await place.withLogs { (logs) throws in
      let turn = try logs[0].takeTurn(within: enough)
      let isWanted = Promise<Void>()
      logs[0].onTurnWanted { isWanted.fulfill(()) }
      let second = Promise<Turn?>()
      Threads.run { second.fulfill(try? waiter.takeTurn(within: .seconds(15))) }
      isWanted.wait()
      while used.withLock({ $0 == nil }) { Threads.sleep(microseconds: 1_000) }
      // The member of the waiter's watch is gone, and then the turn is given to the waiter.
      gone.withLock { $0 = used.withLock(\.self) }
      logs[0].giveBack(turn)
      #expect(second.wait()?.head == 0)
      waiter.close()
    }
    withExtendedLifetime(proxies) {}
  }

  @Test("A holder that has lost the right to write keeps the turn from others for no longer than its lease")
  func lostRight() async throws {
    let cluster = try EtcdCluster(members: 1)
    let place = try await LogPlace(on: cluster)
    @Sendable func etcdctl(_ words: [String]) throws {
      let process = try ChildProcess(
        ["etcdctl", "--endpoints", cluster.endpoints[0]] + words, environment: ["ETCDCTL_API": "3"])
      #expect(process.wait() == 0, "\(words)")
    }
    let prefix = place.configuration.prefix.description
    for command in [
      ["user", "add", "root:root"], ["user", "grant-role", "root", "root"], ["role", "add", "shop"],
      ["role", "grant-permission", "shop", "readwrite", "--prefix=true", prefix], ["user", "add", "shop:secret"],
      ["user", "grant-role", "shop", "shop"], ["auth", "enable"],
    ] { try etcdctl(command) }
    var (limited, unlimited) = (place, place)
    limited.configuration.credentials = EtcdConfiguration.Credentials(user: "shop", password: "secret")
    unlimited.configuration.credentials = EtcdConfiguration.Credentials(user: "root", password: "root")
    let holder = try limited.open(leaseTime: .seconds(2))
    try await unlimited.withLogs { (logs) throws in
      let turn = try holder.takeTurn(within: enough)
      try etcdctl(["--user", "root:root", "user", "revoke-role", "shop", "shop"])
      // As replicas do.
      #expect(holder.append(record(1), with: turn, within: enough).isRefused)
      holder.giveBack(turn)
      #expect(try logs[0].takeTurn(within: enough).head == 0)
      holder.close()
    }
  }

  @Test("Closing a log gives its turn to whoever waits")
  func closing() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      // The lease would last for longer than the other waits.
      let holder = try place.open(leaseTime: .seconds(600))
      try holder.append(1)
      let second = Promise<Turn?>()
      Threads.run { second.fulfill(try? logs[1].takeTurn(within: enough)) }
      let isWanted = Promise<Void>()
      holder.onTurnWanted { isWanted.fulfill(()) }
      isWanted.wait()
      holder.close()
      #expect(second.wait()?.head == 1)
      holder.close()
    }
  }

  @Test("A turn that another process keeps is told apart from a cluster that doesn't answer")
  func kept() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      _ = try logs[0].takeTurn(within: enough)
      #expect(code { _ = try logs[1].takeTurn(within: .seconds(3)) } == .busy)
    }
  }

  @Test("Without a cluster, calls end in time")
  func unreachable() async throws {
    let place = try await LogPlace().through("http://127.0.0.1:1")
    let log = try place.open()
    try await onThread {
      defer { log.close() }
      let time = Duration.milliseconds(300)
      let start = ContinuousClock.now
      #expect(code { _ = try log.status(within: time) } == .unavailable)
      #expect(code { _ = try log.takeTurn(within: time) } == .unavailable)
      #expect(code { _ = try log.newestSnapshot(within: time) } == .unavailable)
      #expect(ContinuousClock.now - start < .seconds(20))
    }
  }
}
