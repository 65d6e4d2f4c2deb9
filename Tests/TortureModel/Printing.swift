// A program as text, close to the equivalent Swift code.

extension Name {
  var printed: String { "\(Self.dictionary(namespace))[\(Alphabet.literal(Alphabet.keys[key])) /*\(key)*/]" }

  static func dictionary(_ namespace: Int) -> String {
    namespace == 0 ? "d" : "d.namespace(\(Alphabet.literal(Alphabet.namespaces[namespace])))"
  }
}

extension Value {
  var printed: String {
    switch self {
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "UInt64(\(value))"
    case .float(let bits): "Float(bitPattern: 0x\(String(bits, radix: 16)))"
    case .double(let bits): "\(Double(bitPattern: bits)) /*0x\(String(bits, radix: 16))*/"
    case .text(let text): "text(\(text.length) bytes, \(text.salt))"
    case .data(let text): "data(\(text.length) bytes, \(text.salt))"
    case .pair(let number, let text): "Pair(\(number), \(text.length) bytes, \(text.salt))"
    case .flat(let text): "TextContent(\(text.length) bytes, \(text.salt))"
    case .unencodable: "Unencodable()"
    case .deep: "Deep()"
    case .huge: "Data(count: \(Huge.count))"
    }
  }
}

extension Filter {
  var printed: String {
    switch self {
    case .number(let comparison, let value): "number \(comparison.sign) \(value)"
    case .email(let comparison, let key): "email \(comparison.sign) \(Alphabet.literal(Alphabet.keys[key]))"
    case .card(let comparison, let value): "card \(comparison.sign) \(value)"
    case .balance(let comparison, let bits): "balance \(comparison.sign) \(Double(bitPattern: bits))"
    case .level(let comparison, let value): "level \(comparison.sign) \(value)"
    case .hasNoCard: "card.isNull"
    case .emailIsEmpty: "email.isEmpty"
    case .emails(let keys): "email.in(\(keys.map { Alphabet.literal(Alphabet.keys[$0]) }))"
    case .emailHas(let place, let prefix, let ignoresCase):
      "email \(place) \(Alphabet.literal(Alphabet.prefixes[prefix]))\(ignoresCase ? " ignoring case" : "")"
    case .noteHas(let place, let part, let ignoresCase):
      "note \(place) text(\(part.length) bytes, \(part.salt))\(ignoresCase ? " in capital letters, ignoring case" : "")"
    case .not(let filter): "!(\(filter.printed))"
    case .and(let left, let right): "(\(left.printed) && \(right.printed))"
    case .or(let left, let right): "(\(left.printed) || \(right.printed))"
    }
  }
}

extension Filter.Comparison {
  fileprivate var sign: String {
    switch self {
    case .equal: "=="
    case .unequal: "!="
    case .less: "<"
    case .atLeast: ">="
    }
  }
}

extension Query {
  var printed: String {
    var parts = [filter.map { "where \($0.printed)" } ?? "all"]
    if let order { parts.append("orderBy \(order.field)\(order.isDescending ? ".descending" : "")") }
    if let limit { parts.append("limit \(limit)") }
    if offset != 0 { parts.append("offset \(offset)") }
    return "fetch(\(parts.joined(separator: ", ")))"
  }
}

extension Operation {
  var printed: String {
    switch self {
    case .get(let name): "get \(name.printed)"
    case .getInteger(let name): "get \(name.printed) as Int"
    case .contains(let name): "contains \(name.printed)"
    case .keys(let namespace, let prefix):
      "\(Name.dictionary(namespace)).keys(withPrefix: \(Alphabet.literal(Alphabet.prefixes[prefix])))"
    case .count(let namespace): "\(Name.dictionary(namespace)).count"
    case .entries(let namespace, let prefix, let limit):
      "\(Name.dictionary(namespace)).entries(withPrefix: \(Alphabet.literal(Alphabet.prefixes[prefix])), limit: "
        + "\(limit.map(String.init) ?? "nil"))"
    case .namespaces: "d.namespaces()"
    case .set(let name, let value): "\(name.printed) = \(value.printed)"
    case .remove(let name): "remove \(name.printed)"
    case .clear(let namespace, let prefix):
      "\(Name.dictionary(namespace)).removeAll(withPrefix: \(Alphabet.literal(Alphabet.prefixes[prefix])))"
    case .add(let name, let amount, let body): "update \(name.printed) += \(amount)\(Self.block(body))"
    case .exchange(let name, let expected, let new):
      "compareAndSet \(name.printed), \(expected?.printed ?? "nil") → \(new?.printed ?? "nil")"
    case .typed(let name, let value): "get, then set \(name.printed) by a typed key: \(value.printed)"
    case .typedUse(let name, let use): "\(name.printed) by a typed key: \(use.printed)"
    case .replaced(let use): use.printed
    case .synchronize: "synchronize()"
    case .flush: "await flush()"
    case .fetch(let query): query.printed
    case .tally(let query): "count of \(query.printed)"
    case .aggregate(let aggregate, let query): "\(aggregate.printed) of \(query.printed)"
    case .insert(let row): "insert \(row.token)"
    case .upsert(let row): "upsert \(row.token)"
    case .change(let index, let edit): "change object \(index): \(edit)"
    case .upsertObject(let index): "upsert object \(index)"
    case .delete(let index): "delete object \(index)"
    case .updateAll(let filter, let edit, let key, let failsAt):
      "updateAll(where: \(filter?.printed ?? "all")) { \(edit)\(key.map { "; \($0.printed) = …" } ?? "") }"
        + (failsAt.map { ", which throws at object \($0)" } ?? "")
    case .deleteAll(let filter): "deleteAll(where: \(filter?.printed ?? "all"))"
    case .submit(let row): "try(submit: creationRequest(\(row.token)))"
    case .transact(let way, let declares, let body, let ending):
      "transaction (\(way), \(declares.printed), \(ending))\(Self.block(body))"
    case .batch(let members):
      "queued together:\n"
        + members.map { member in
          "  transaction (\(member.declares.printed), \(member.ending))"
            + Self.block(member.body).replacing("\n", with: "\n  ")
        }.joined(separator: "\n")
    case .post(let operation): operation.printed
    case .later(let operation): operation.printed
    case .snapshot(let body): "snapshot\(Self.block(body))"
    case .callback(let body): "in an observer\(Self.block(body))"
    case .completion(let body): "in a completion handler\(Self.block(body))"
    case .encoder(let name, let value, let body):
      "\(name.printed) = \(value.printed), whose encoding does\(Self.block(body))"
    case .late(let name, let text, let body):
      "\(name.printed) = LateText(\(text.length) bytes, \(text.salt)), whose encoding does\(Self.block(body))"
        + "\nsynchronize()"
    case .decoder(let name, let body): "get \(name.printed) as Pair, whose decoding does\(Self.block(body))"
    case .elsewhere(let slot, let body): "in workspace \(slot)\(Self.block(body))"
    case .observe(let id, let observed): "subscription \(id): \(observed.printed)"
    case .cancel(let id): "cancel subscription \(id)"
    case .abort: "abort()"
    case .shutdown: "shutdown {}"
    }
  }

  private static func block(_ body: [Operation]) -> String {
    if body.isEmpty { return " {}" }
    return " {\n" + body.map { "  " + $0.printed.replacing("\n", with: "\n  ") }.joined(separator: "\n") + "\n}"
  }
}

extension Observed {
  fileprivate var printed: String {
    switch self {
    case .key(let name): "to \(name.printed)"
    case .prefix(let namespace, let prefix):
      "to \(Name.dictionary(namespace)), prefix \(Alphabet.literal(Alphabet.prefixes[prefix]))"
    case .query(let query): "to \(query.printed)"
    case .posts(let query): "to \(query.printed)"
    case .later(let limit): "to \(LaterOperation.fetch(limit: limit).printed)"
    case .object(let index): "to object \(index)"
    case .closure(let reads): "to a closure that reads \(reads.printed)"
    }
  }
}

extension Step {
  var printed: String {
    let text =
      switch action {
      case .run(let operation): operation.printed
      case .settle: "settle"
      case .catchUp: "catch up"
      case .close(let flags): "shutdown(flags: \(flags))"
      case .open: "open"
      case .burst(let burst): "\(burst)"
      }
    return "[\(slot)] \(text)"
  }
}

extension Program {
  var printed: String {
    var lines = slots.enumerated().map { index, slot in
      var notes = ["process \(slot.process)", "file \(slot.file)"]
      if slot.isReplica { notes.append("replica") }
      if slot.isReadOnly { notes.append("read-only") }
      if slot.isSerial { notes.append(".serial") }
      if slot.isFull { notes.append(".full") }
      if slot.fillsIndexes { notes.append("fills indexes") }
      if slot.cache != .unlimited { notes.append("cacheLimit by \(slot.cache)") }
      return "workspace \(index): \(notes.joined(separator: ", "))"
    }
    lines += steps.map(\.printed)
    return lines.joined(separator: "\n")
  }
}
