import Testing

@testable import TortureModel

/// The rules by which the model machine judges replies and events that are not determined by the program alone.
@Suite struct ModelRuleTests {
  // MARK: Observed closures

  private func entry(_ token: String, isOptional: Bool = false, isOwn: Bool = true) -> Track.Entry {
    Track.Entry(token: token, isOptional: isOptional, isOwn: isOwn)
  }

  private func accepts(_ events: [String], after base: String = "a", _ entries: [Track.Entry]) -> Bool {
    var track = Track(base: base, entries: entries, skipsEqual: true)
    return track.accepts(events, externalSize: 0, isClosing: false)
  }

  @Test("A closure may skip optional values, but no others, and delivers none twice") func closures() {
    let entries = [entry("b", isOptional: true), entry("c")]
    #expect(accepts(["b", "c"], entries))
    #expect(accepts(["c"], entries))
    #expect(!accepts(["b"], entries))
    #expect(!accepts(["c", "c"], entries))
    #expect(!accepts(["c", "b"], entries))
    #expect(!accepts([], entries))
  }

  @Test("A value that equals the last one is never delivered, also if another workspace's value came in between")
  func equalValues() {
    let entries = [entry("b", isOptional: true, isOwn: false), entry("a")]
    #expect(accepts([], entries))
    #expect(accepts(["b", "a"], entries))
    #expect(!accepts(["a"], entries))
  }

  @Test("A value that may have been committed before the observer began may be what it knows at the next check")
  func earlierValues() {
    let isTold: (Bool) -> Bool = { isOptional in
      var track = Track(base: "-", entries: [entry("b", isOptional: isOptional, isOwn: !isOptional)])
      let isRight = track.accepts([], externalSize: 0, isClosing: false)
      track.entries = [entry("-")]
      return isRight && track.accepts(["-"], externalSize: 0, isClosing: false)
    }
    #expect(isTold(true))
    #expect(!isTold(false))
  }

  @Test("An error is the last event of a closure") func errors() {
    let entries = [entry("!refusal"), entry("b")]
    #expect(accepts(["!refusal"], entries))
    #expect(!accepts(["!refusal", "b"], entries))
    #expect(!accepts(["b"], entries))
    #expect(accepts([], after: "!refusal", entries))
    // The closure may not have run at a state in which it would throw.
    #expect(accepts(["b"], [entry("!refusal", isOptional: true), entry("b")]))
  }

  @Test("A closure throws where one of its reads does, also in a branch") func refusals() {
    let (condition, refused) = (Name(namespace: 0, key: 2), Name(namespace: 0, key: 3))
    let reads: [ObservedRead] = [.key(refused), .choice(condition, [.refusal(refused)], [.count(namespace: 0)])]
    var state = FileState()
    #expect(reads.result(of: state) == "- & (0)")
    state.values[refused] = "i1"
    #expect(reads.result(of: state) == "i1 & (1)")
    state.values[condition] = "i1"
    #expect(reads.result(of: state) == ObservedRead.refused)
    state.values[refused] = nil
    #expect(reads.result(of: state) == "- & (-)")
    #expect(reads.simpler.count == 4)
  }

  @Test("A closure may skip a transaction's value only if another workspace's write waits for the transaction's end")
  func followedTransactions() throws {
    let slots = [Slot(process: 0, file: 0), Slot(process: 0, file: 0)]
    let model = Model(Program(slots: slots, names: [name], steps: [], seed: 1))
    for slot in model.slots { slot.isOpen = true }
    let (author, other) = (model.slots[0], model.slots[1])
    let observer = ObserverModel(.closure([.key(name)]), pending: [])
    observer.tracks[ObserverModel.whole] = Track(base: "-", skipsEqual: true)
    author.observers[0] = observer
    func commit(_ token: String) {
      var state = model.file(author).current
      state.values[name] = token
      model.commit(state, by: author)
    }
    commit("i1")
    commit("i2")
    #expect(throws: Mismatch.self) { try observer.check(["i2"], externalSize: 0, isClosing: false) }
    observer.tracks[ObserverModel.whole] = Track(base: "-", skipsEqual: true)
    commit("i3")
    model.write(.set(name, "i5"), other, .plain)
    commit("i4")
    model.flush(other)
    try observer.check(["i3", "i5"], externalSize: 0, isClosing: false)
  }

  @Test("A range's observer may miss the writes that were pending when it began, and no later one")
  func pendingWritesBeforeAnObserver() throws {
    let model = Model(Program(slots: [Slot(process: 0, file: 0)], names: [name], steps: [], seed: 1))
    let slot = model.slots[0]
    slot.isOpen = true
    func begin() {
      slot.observers[0] = ObserverModel(.prefix(namespace: 0, prefix: 0), pending: slot.pending)
    }
    func check(_ events: [String]) throws {
      try slot.observers[0]?.check(events.map { "2 \($0)" }, externalSize: 0, isClosing: false)
    }
    for events in [[], ["i1"]] {
      model.write(.set(name, events.isEmpty ? "i0" : "i1"), slot, .plain)
      begin()
      model.flush(slot)
      try check(events)
      model.write(.set(name, "i2"), slot, .plain)
      model.flush(slot)
      #expect(throws: Mismatch.self) { try check([]) }
    }
    // A value that returns is a change if the one in between was committed before the observer began.
    model.write(.set(name, "i3"), slot, .plain)
    begin()
    model.flush(slot)
    model.write(.set(name, "i2"), slot, .plain)
    model.flush(slot)
    try check(["i2"])
  }

  // MARK: Replaced values

  private let name = Name(namespace: 0, key: 2)

  private func listed(_ id: String, _ token: String) throws -> ReplacedList.Listed {
    try #require(ReplacedList.Listed("\(id) 0 2 \(token)"))
  }

  private func list(_ tokens: [(String, Bool)]) -> ReplacedList {
    var list = ReplacedList()
    for (token, isCertain) in tokens {
      list.add(ReplacedList.Entry(name: name, token: token, isCertain: isCertain, priority: 1))
    }
    return list
  }

  private func check(_ list: inout ReplacedList, _ values: [ReplacedList.Listed], isCommitted: Bool = true) throws {
    try list.check(values, of: nil, without: [], isCommitted: isCommitted)
  }

  @Test("A list has all certain values and any of the uncertain ones, newest first") func replaced() throws {
    var list = list([("i1", true), ("s1:a", false), ("i2", true)])
    #expect(throws: Mismatch.self) { try check(&list, [listed("1.1", "i1")]) }
    #expect(throws: Mismatch.self) { try check(&list, [listed("2.1", "i1"), listed("1.1", "i2")]) }
    #expect(throws: Mismatch.self) { try check(&list, [listed("2.1", "i2"), listed("2.1", "i1")]) }
    #expect(throws: Mismatch.self) { try check(&list, [listed("3.1", "b"), listed("2.1", "i2"), listed("1.1", "i1")]) }
    try check(&list, [listed("3.1", "i2"), listed("1.1", "i1")])
    // The list has decided that there is no text, and what the IDs are.
    #expect(list.entries.map(\.token) == ["i1", "i2"])
    #expect(throws: Mismatch.self) {
      try check(&list, [listed("3.1", "i2"), listed("2.1", "s1:a"), listed("1.1", "i1")])
    }
    #expect(throws: Mismatch.self) { try check(&list, [listed("3.2", "i2"), listed("1.1", "i1")]) }
    let first = try listed("1.1", "i1").id
    try list.check([listed("3.1", "i2")], of: nil, without: [first], isCommitted: false)
    list.remove([first])
    try check(&list, [listed("3.1", "i2")])
    // Another namespace has none of them.
    try list.check([], of: 1, without: [], isCommitted: true)
    #expect(throws: Mismatch.self) { try list.check([listed("3.1", "i2")], of: 1, without: [], isCommitted: true) }
  }

  @Test("A key has eight values, and those of low priority go first") func limits() throws {
    var list = list((1...9).map { ("i\($0)", true) })
    #expect(list.entries.map(\.isCertain) == [false] + Array(repeating: true, count: 8))
    let values = try (1...9).reversed().map { try listed("\($0).1", "i\($0)") }
    #expect(throws: Mismatch.self) { try check(&list, values) }
    try check(&list, values, isCommitted: false)
    try check(&list, Array(values.dropLast()))
    list.add(ReplacedList.Entry(name: name, token: "low", isCertain: true, priority: 0))
    #expect(list.entries.map(\.isCertain) == Array(repeating: true, count: 8) + [false])
  }

  @Test("A value that is replaced by one of another kind is kept, and so is one that a read could not read")
  func kinds() throws {
    let program = Program(slots: [Slot(process: 0, file: 0)], names: [name], steps: [], seed: 1)
    let model = Model(program)
    let slot = model.slots[0]
    func tokens() -> [String] { model.file(slot).replaced.entries.map { "\($0.token)\($0.isCertain ? "" : "?")" } }
    func write(_ tokens: String?...) {
      for token in tokens { model.write(.set(name, token), slot, .plain) }
      model.flush(slot)
    }
    write("i1")
    write("d2.5+")
    #expect(tokens() == [])
    write("s1:a")
    #expect(tokens() == ["d2.5+"])
    // A removal keeps only what could not be read.
    write(nil)
    write("s1:b")
    model.noteRead(name, .text("!typeMismatch"), slot, .plain)
    write(nil)
    #expect(tokens() == ["d2.5+", "s1:b"])
    // Writes that wait together may be committed one by one.
    write("i1")
    write("s1:c", "i2")
    #expect(tokens() == ["d2.5+", "s1:b", "i1?", "s1:c?"])
    model.write(.clear(0, 0), slot, .plain)
    model.flush(slot)
    #expect(tokens().count == 4)
  }

  // MARK: Typed keys and aggregates

  @Test("A typed key of numbers reads other types by its migrations, and one of texts too") func typedKeys() {
    let numbers: KeyValuePairs = [
      "i3": "i3", "d2.0+": "i2", "d2.5+": "!typeMismatch", "btrue": "i1", "s12:a": "i12", "s600:a": "!typeMismatch",
      "x0:a": "!undecodable", "x5:a": "i5", "p1,4:a": "!typeMismatch",
    ]
    for (token, expected) in numbers { #expect(Token.number(token) == expected, "\(token)") }
    #expect(Token.number(nil) == "i7")
    let texts: KeyValuePairs = ["s3:a": "s3:a", "p-1,4:b": "s4:b", "p1,0:b": "!typeMismatch", "i1": "!typeMismatch"]
    for (token, expected) in texts { #expect(Token.text(token) == expected, "\(token)") }
    #expect(Token.text(nil) == "-")
  }

  @Test("Aggregates skip null and order NaN last") func aggregates() {
    var state = FileState()
    let balances: [Double] = [1.5, .nan, -2, 1.5, .nan]
    for (rowid, balance) in balances.enumerated() {
      var row = Row(UInt64(rowid))
      row.balance = balance.bitPattern
      row.card = rowid < 2 ? Int32(rowid) : nil
      state.rows[Int64(rowid)] = row
    }
    func result(_ aggregate: Aggregate, _ query: Query = Query()) -> String { aggregate.result(of: state, query) }
    #expect(result(.values(.min, .balance)) == "d-2.0-" && result(.values(.max, .balance)) == "d1.5+")
    #expect(result(.values(.counts, .balance)) == "d-2.0-=1 d1.5+=2 dNaN=2")
    #expect(result(.values(.distinct, .balance)) == "3" && result(.sum(.balance)) == "dNaN")
    #expect(result(.values(.counts, .card)) == "-=3 0=1 1=1" && result(.values(.distinct, .card)) == "2")
    #expect(result(.sum(.card)) == "1" && result(.average(.card)) == "d0.5+")
    let none = Query(filter: .number(.equal, 9))
    #expect(result(.sum(.number), none) == "0" && result(.average(.number), none) == "-")
    #expect(result(.values(.min, .email), none) == "-")
  }
}
