import DflatCore
import DflatKV
import Foundation
import GoldenModels
import TestSupport

extension Executor {
  func runRole(_ operation: Operation, at place: Place, in scope: Scope) throws -> Reply {
    switch operation {
    case .transact(let way, let declares, let body, let ending):
      var way = way
      if case .plain = scope {} else { way = .wait }
      return transact(way, declares, body, ending, at: place)
    case .batch(let members): return .list(batch(members, at: place))
    case .snapshot(let body):
      return .list(place.workspace.fetchWithinASnapshot { perform(body, at: place, in: inner(scope, .snapshot)) })
    case .callback(let body): return try callback(body, at: place)
    case .completion(let body): return completion(body, at: place)
    case .encoder(let name, let value, let body):
      var replies: [Reply] = []
      CodingHook.set { replies = self.perform(body, at: place, in: self.inner(scope, .callback)) }
      set(name, value, at: place)
      CodingHook.set(nil)
      return .list(replies)
    case .late(let name, let text, let body):
      let replies = ResultBox<[Reply]>()
      LateText.set { replies.result = .success(self.perform(body, at: place, in: self.inner(scope, .callback))) }
      dictionary(name.namespace, place)[Alphabet.keys[name.key]] = LateText(text)
      var end = "ok"
      if scope.transaction == nil {
        do { try place.workspace.dictionary.synchronize() } catch { end = Self.code(error) }
      }
      LateText.set(nil)
      return .list([.text(end)] + (replies.result.map { [.list((try? $0.get()) ?? [])] } ?? []))
    case .decoder(let name, let body):
      var replies: [Reply]?
      CodingHook.set { replies = self.perform(body, at: place, in: self.inner(scope, .callback)) }
      defer { CodingHook.set(nil) }
      var token: String
      do {
        let key = Alphabet.keys[name.key]
        token = try dictionary(name.namespace, place).value(forKey: key, as: Pair.self).map(Token.pair) ?? "-"
      } catch { token = Self.code(error) }
      return .list([.text(token)] + (replies.map { [.list($0)] } ?? []))
    case .elsewhere(let slot, let body):
      // Takes the write token first, so that the other workspace's writes wait for the end of this transaction.
      if let transaction = scope.transaction { _ = transaction.dictionary.contains("") }
      guard let other = places[slot] else { return .text("!closed") }
      return .list(perform(body, at: other, in: .callback))
    case .observe(let id, let observed):
      return .text(try observe(id, observed, at: place))
    case .cancel(let id):
      place.subscriptions[id]?.cancel()
      place.subscriptions[id] = nil
      return .text("ok")
    case .abort:
      guard let transaction = scope.transaction else { throw Refusal() }
      return .text("\(transaction.abort())")
    case .shutdown:
      place.workspace.shutdown {}
      return .text("ok")
    default: throw Refusal()
    }
  }

  private func inner(_ outer: Scope, _ other: Scope) -> Scope { if case .transaction = outer { outer } else { other } }

  // MARK: Transactions

  private func types(_ declares: Operation.Types) -> [Any.Type] {
    (declares.contains(.members) ? [Club.Member.self] : []) + (declares.contains(.posts) ? [Post.self] : [])
  }

  private func transact(
    _ way: Operation.Way, _ declares: Operation.Types, _ body: [Operation], _ ending: Operation.Ending, at place: Place
  ) -> Reply {
    let replies = ResultBox<[Reply]>()
    let run: @Sendable (TransactionContext) throws -> Void = { [self] transaction in
      replies.result = .success(perform(body, at: place, in: .transaction(transaction)))
      if ending == .abort { transaction.abort() }
      if ending == .fail { throw Refusal() }
    }
    var outcome = "=ok"
    let workspace = place.workspace
    do {
      switch way {
      case .wait: try workspace.transactAndWait(types(declares)) { try run($0) }
      case .async:
        try waiting { [self] in _ = try await workspace.transact(types(declares)) { try run($0) } }
      case .perform:
        let done = DispatchSemaphore(value: 0)
        let box = ResultBox<Bool>()
        workspace.performChanges(types(declares)) { transaction in
          do { try run(transaction) } catch { transaction.abort() }
        } completionHandler: { succeeded in
          box.result = .success(succeeded)
          done.signal()
        }
        done.wait()
        if case .success(false)? = box.result { outcome = "=!" }
      }
    } catch { outcome = "=\(Self.code(error))" }
    var all: [Reply] = []
    if case .success(let inner)? = replies.result { all = inner }
    return .list([.text("\(outcome) \(workspace.commitNumber)")] + all)
  }

  /// Queues transactions while the first one's closure is held, so that they may share a commit.
  private func batch(_ members: [Operation.Member], at place: Place) -> [Reply] {
    let queued = Gate("all members are queued")
    let done = DispatchGroup()
    let boxes = members.map { _ in (replies: ResultBox<[Reply]>(), outcome: ResultBox<Bool>()) }
    for (index, member) in members.enumerated() {
      done.enter()
      let (replies, outcome) = boxes[index]
      place.workspace.performChanges(types(member.declares)) { [self] transaction in
        if index == 0 {
          _ = transaction.dictionary.contains("")
          try? queued.wait()
        }
        let all = perform(member.body, at: place, in: .transaction(transaction))
        replies.result = .success(all)
        if member.ending != .commit { transaction.abort() }
      } completionHandler: { succeeded in
        outcome.result = .success(succeeded)
        done.leave()
      }
    }
    queued.open()
    done.wait()
    return boxes.map { replies, outcome in
      var all: [Reply] = []
      if case .success(let inner)? = replies.result { all = inner }
      var text = "=!"
      if case .success(true)? = outcome.result { text = "=ok" }
      return .list([.text("\(text) \(place.workspace.commitNumber)")] + all)
    }
  }

  // MARK: Callbacks

  /// Runs operations in an observer, which a transaction triggers.
  private func callback(_ body: [Operation], at place: Place) throws -> Reply {
    let key = Alphabet.keys[Alphabet.trigger.key]
    let dictionary = place.workspace.dictionary.namespace(Alphabet.namespaces[Alphabet.trigger.namespace])
    if place.trigger == nil {
      place.trigger = dictionary.subscribe(key) { [weak place] change in
        // Another workspace's commit may arrive first, before the writes that are to precede the callback.
        guard let place, let number = try? change.value(as: Int64.self) else { return }
        place.callback.take(at: number)?()
      }
    }
    let replies = ResultBox<[Reply]>()
    let done = DispatchSemaphore(value: 0)
    let work: @Sendable () -> Void = { [self] in
      replies.result = .success(perform(body, at: place, in: .callback))
      done.signal()
    }
    do {
      place.fired = try dictionary.update(key, default: Int64(0)) {
        $0 += 1
        place.callback.set(work, at: $0)
      }
    } catch {
      place.callback.clear()
      return .list([.text(Self.code(error))])
    }
    done.wait()
    return .list([.text("i\(place.fired)")] + (try replies.result?.get() ?? []))
  }

  private func completion(_ body: [Operation], at place: Place) -> Reply {
    let replies = ResultBox<[Reply]>()
    let done = DispatchSemaphore(value: 0)
    place.workspace.performChanges([]) { _ in
    } completionHandler: { [self] succeeded in
      replies.result = .success([.text("\(succeeded)")] + perform(body, at: place, in: .callback))
      done.signal()
    }
    done.wait()
    guard case .success(let all)? = replies.result else { return .list([]) }
    return .list(all)
  }

  // MARK: Observing

  private func observe(_ id: Int, _ observed: Observed, at place: Place) throws -> String {
    let log = EventLog<String>()
    place.subscriptions[id]?.cancel()
    place.logs[id] = log
    place.seen[id] = 0
    switch observed {
    case .key(let name):
      place.subscriptions[id] = dictionary(name.namespace, place).subscribe(Alphabet.keys[name.key]) { change in
        let token = (try? Token.stored(change.value)) ?? "?"
        log.append("\(change.event.rawValue) \(token) @\(change.commitNumber)")
      }
      return "ok"
    case .prefix(let namespace, let prefix):
      let dictionary = dictionary(namespace, place)
      place.subscriptions[id] = dictionary.subscribe(withPrefix: Alphabet.prefixes[prefix]) { change in
        let token = (try? Token.stored(change.value)) ?? "?"
        log.append("\(Alphabet.key(change.key)) \(token) @\(change.commitNumber)")
      }
      return "ok"
    case .query(let query):
      let result = query.result(in: place.workspace)
      place.subscriptions[id] = place.workspace.subscribe(fetchedResult: result) { log.append(Self.token($0)) }
      return Self.token(result)
    case .posts(let query):
      let result = query.result(in: place.workspace)
      place.subscriptions[id] = place.workspace.subscribe(fetchedResult: result) { log.append(Self.token($0)) }
      return Self.token(result)
    case .later(let limit):
      let limit = limit.map { Limit.limit($0) } ?? .noLimit
      let result = place.workspace.fetch(for: LaterMember.self).all(limit: limit, orderBy: [LaterMember.code.ascending])
      place.subscriptions[id] = place.workspace.subscribe(fetchedResult: result) { log.append(Self.token($0)) }
      return Self.token(result)
    case .object(let index):
      guard let object = object(at: index) else { return "-" }
      place.subscriptions[id] = place.workspace.subscribe(object: object) { change in
        switch change {
        case .updated(let object): log.append(Self.token(object))
        case .deleted: log.append("deleted")
        }
      }
      return Self.token(object)
    case .closure(let reads): return observe(id, reads, at: place, in: log)
    }
  }
}
