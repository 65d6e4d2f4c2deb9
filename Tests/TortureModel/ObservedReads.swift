import DflatKV
import GoldenModels
import TestSupport

/// A part of what an observed closure reads. Its value is the text of all its reads.
indirect enum ObservedRead: Codable, Sendable {
  case key(Name)
  case keys(namespace: Int, prefix: Int)
  case count(namespace: Int)
  case entries(namespace: Int, prefix: Int, limit: Int?)
  case members(Query)
  /// Reads the object with that number.
  case member(UInt64)
  case tally(Query)
  case aggregate(Aggregate, Query)
  case posts(PostQuery)
  /// Reads with the later schema.
  case later(limit: Int?)
  /// Reads one or the other: the first if the key has a value.
  case choice(Name, [ObservedRead], [ObservedRead])
  /// Throws if the key has a value, which ends the observation.
  case refusal(Name)

  var printed: String {
    switch self {
    case .key(let name): name.printed
    case .keys(let namespace, let prefix): Operation.keys(namespace: namespace, prefix: prefix).printed
    case .count(let namespace): Operation.count(namespace: namespace).printed
    case .entries(let namespace, let prefix, let limit):
      Operation.entries(namespace: namespace, prefix: prefix, limit: limit).printed
    case .members(let query): query.printed
    case .member(let number): "fetch(where number == \(number))"
    case .tally(let query): "count of \(query.printed)"
    case .aggregate(let aggregate, let query): "\(aggregate.printed) of \(query.printed)"
    case .posts(let query): query.printed
    case .later(let limit): LaterOperation.fetch(limit: limit).printed
    case .choice(let name, let first, let second):
      "\(name.printed) != nil ? (\(first.printed)) : (\(second.printed))"
    case .refusal(let name): "if \(name.printed) != nil { throw }"
    }
  }

  private static func numbered(_ number: UInt64) -> Query { Query(filter: .number(.equal, number)) }
}

extension [ObservedRead] {
  var printed: String { map(\.printed).joined(separator: ", ") }

  /// The lists with one part less, for shrinking.
  var simpler: [[ObservedRead]] {
    indices.flatMap { index -> [[ObservedRead]] in
      var found: [[ObservedRead]] = []
      func replace(by reads: [ObservedRead]) {
        var changed = self
        changed.replaceSubrange(index...index, with: reads)
        if !changed.isEmpty { found.append(changed) }
      }
      replace(by: [])
      if case .choice(_, let first, let second) = self[index] {
        replace(by: first)
        replace(by: second)
      }
      return found
    }
  }
}

// MARK: Running

extension [ObservedRead] {
  func result(from reader: WorkspaceReader) throws -> String {
    try map { try $0.result(from: reader) }.joined(separator: " & ")
  }
}

extension ObservedRead {
  fileprivate func result(from reader: WorkspaceReader) throws -> String {
    func dictionary(_ namespace: Int) -> WorkspaceDictionary {
      namespace == 0 ? reader.dictionary : reader.dictionary.namespace(Alphabet.namespaces[namespace])
    }
    func members(_ query: Query) -> DflatKV.Query<Club.Member> { query.query(on: reader.query(for: Club.Member.self)) }
    switch self {
    case .key(let name):
      return try Token.stored(dictionary(name.namespace).storedValue(forKey: Alphabet.keys[name.key]))
    case .keys(let namespace, let prefix):
      let keys = dictionary(namespace).keys(withPrefix: Alphabet.prefixes[prefix])
      return keys.map { Alphabet.key($0) }.joined(separator: " ")
    case .count(let namespace): return "\(dictionary(namespace).count)"
    case .entries(let namespace, let prefix, let limit):
      let entries = try dictionary(namespace).entries(withPrefix: Alphabet.prefixes[prefix], limit: limit)
      return try entries.map { "\(Alphabet.key($0.key))=\(try Token.stored($0.value))" }.joined(separator: " ")
    case .members(let query): return Executor.token(try members(query).fetch())
    case .member(let number): return Executor.token(try members(Self.numbered(number)).fetch())
    case .tally(let query): return "\(try members(query).count())"
    case .aggregate(let aggregate, let query): return try aggregate.result(of: members(query))
    case .posts(let query): return Executor.token(try query.query(on: reader.query(for: Post.self)).fetch())
    case .later(let limit):
      return Executor.token(
        try LaterOperation.fetch(limit: limit).query(on: reader.query(for: LaterMember.self)).fetch())
    case .choice(let name, let first, let second):
      let isThere = dictionary(name.namespace).contains(Alphabet.keys[name.key])
      return "(\(try (isThere ? first : second).result(from: reader)))"
    case .refusal(let name):
      if dictionary(name.namespace).contains(Alphabet.keys[name.key]) { throw Executor.Refusal() }
      return "-"
    }
  }
}

extension Executor {
  /// Subscribes to an observed closure. Returns its first value, or the error that has ended it.
  func observe(_ id: Int, _ reads: [ObservedRead], at place: Place, in log: EventLog<String>) -> String {
    let observation = place.workspace.observe { reader -> String in try reads.result(from: reader) }
    place.subscriptions[id] = observation.subscribe { error in
      log.append(Self.code(error))
    } changeHandler: {
      log.append($0)
    }
    guard let first = log.events.first else { return "nothing" }
    place.seen[id] = 1
    return first
  }
}

// MARK: Expected values

extension [ObservedRead] {
  /// The closure's value as of one commit; the code of the error that it throws there.
  func result(of state: FileState) -> String { value(of: state) ?? ObservedRead.refused }

  /// Returns nil if the closure throws.
  fileprivate func value(of state: FileState) -> String? {
    var values: [String] = []
    for read in self {
      guard let value = read.value(of: state) else { return nil }
      values.append(value)
    }
    return values.joined(separator: " & ")
  }
}

extension ObservedRead {
  /// The last event of an observation whose closure has thrown.
  static let refused = "!refusal"

  fileprivate func value(of state: FileState) -> String? {
    switch self {
    case .key(let name): return state.values[name] ?? "-"
    case .keys(let namespace, let prefix):
      return state.keys(namespace, prefix).map(String.init).joined(separator: " ")
    case .count(let namespace): return "\(state.keys(namespace, 0).count)"
    case .entries(let namespace, let prefix, let limit):
      let keys = state.keys(namespace, prefix)
      return (limit.map { keys.prefix($0) } ?? keys[...]).map { key in
        "\(key)=\(state.values[Name(namespace: namespace, key: key)] ?? "")"
      }.joined(separator: " ")
    case .members(let query): return query.token(of: state)
    case .member(let number): return Self.numbered(number).token(of: state)
    case .tally(let query): return "\(query.rows(of: state.rows).count)"
    case .aggregate(let aggregate, let query): return aggregate.result(of: state, query)
    case .posts(let query): return query.token(of: state)
    case .later(let limit): return LaterOperation.fetch(limit: limit).result(of: state)
    case .choice(let name, let first, let second):
      return (state.values[name] != nil ? first : second).value(of: state).map { "(\($0))" }
    case .refusal(let name): return state.values[name] != nil ? nil : "-"
    }
  }
}
