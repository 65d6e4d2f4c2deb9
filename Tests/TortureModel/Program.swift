/// One call of the API. Calls with operations of their own determine the role in which a thread runs them.
indirect enum Operation: Codable, Sendable {
  // Reads of the dictionary
  case get(Name)
  case getInteger(Name)
  case contains(Name)
  case keys(namespace: Int, prefix: Int)
  case count(namespace: Int)
  case entries(namespace: Int, prefix: Int, limit: Int?)
  case namespaces
  // Writes of the dictionary
  case set(Name, Value)
  case remove(Name)
  case clear(namespace: Int, prefix: Int)
  case add(Name, Int64, [Operation])
  case exchange(Name, expected: Value?, new: Value?)
  /// Reads a typed key, then sets it.
  case typed(Name, Value)
  case typedUse(Name, TypedUse)
  case replaced(ReplacedUse)
  case synchronize
  case flush
  // Entities
  case fetch(Query)
  case tally(Query)
  case aggregate(Aggregate, Query)
  case insert(Row)
  case upsert(Row)
  /// Changes an object that was inserted or fetched before, by a change request.
  case change(Int, Edit)
  case upsertObject(Int)
  case delete(Int)
  /// Sets a key for each object. Throws at the object with that index, and the error is caught.
  case updateAll(Filter?, Edit, key: Name?, failsAt: Int?)
  case deleteAll(Filter?)
  /// Submits with `try(submit:)`.
  case submit(Row)
  case post(PostOperation)
  case later(LaterOperation)
  // Roles
  case transact(Way, declares: Types, [Operation], Ending)
  case batch([Member])
  case snapshot([Operation])
  case callback([Operation])
  case completion([Operation])
  case encoder(Name, Value, [Operation])
  /// Sets a FlatBuffers value, which a plain write encodes when its group is applied.
  case late(Name, Text, [Operation])
  case decoder(Name, [Operation])
  /// Runs operations on another workspace of the same process.
  case elsewhere(Int, [Operation])
  // Observation
  case observe(Int, Observed)
  case cancel(Int)
  /// Aborts the transaction whose closure runs.
  case abort
  case shutdown

  /// The types that a transaction declares.
  struct Types: OptionSet, Codable, Sendable {
    let rawValue: Int
    static let members = Types(rawValue: 1)
    static let posts = Types(rawValue: 2)

    var printed: String {
      "[\([contains(.members) ? "Member" : nil, contains(.posts) ? "Post" : nil].compactMap { $0 }.joined(separator: ", "))]"
    }
  }

  struct Member: Codable, Sendable {
    var declares: Types
    var body: [Operation]
    var ending: Ending
  }

  enum Way: String, Codable, Sendable, CaseIterable { case wait, async, perform }
  enum Ending: String, Codable, Sendable { case commit, abort, fail }
}

enum Observed: Codable, Sendable {
  case key(Name)
  case prefix(namespace: Int, prefix: Int)
  case query(Query)
  case posts(PostQuery)
  /// A query with the later schema.
  case later(limit: Int?)
  case object(Int)
  case closure([ObservedRead])
}

/// A change of a stored object.
enum Edit: Codable, Sendable {
  case nothing
  case number(UInt64)
  case email(Int?)
  case card(Int32?)
  case balance(UInt64)
  case level(UInt8)
  case note(Text?)

  func apply(to row: inout Row) {
    switch self {
    case .nothing: break
    case .number(let value): row.number = value
    case .email(let value): row.email = value
    case .card(let value): row.card = value
    case .balance(let value): row.balance = value
    case .level(let value): row.level = value
    case .note(let value): row.note = value
    }
  }
}

indirect enum Filter: Codable, Sendable {
  case number(Comparison, UInt64)
  case email(Comparison, Int)
  case card(Comparison, Int32)
  case balance(Comparison, UInt64)
  case level(Comparison, UInt8)
  case hasNoCard
  case emailIsEmpty
  case emails([Int])
  /// A test with one of `Alphabet.prefixes`.
  case emailHas(Place, Int, ignoresCase: Bool)
  case noteHas(Place, Text, ignoresCase: Bool)
  case not(Filter)
  case and(Filter, Filter)
  case or(Filter, Filter)

  enum Comparison: String, Codable, Sendable, CaseIterable { case equal, unequal, less, atLeast }
  enum Place: String, Codable, Sendable, CaseIterable { case whole, start, end, anywhere }
}

struct Query: Codable, Sendable {
  enum Field: String, Codable, Sendable, CaseIterable { case number, email, card, balance, level }
  struct Order: Codable, Sendable {
    var field: Field
    var isDescending: Bool
  }

  var filter: Filter?
  var order: Order?
  var limit: Int?
  var offset = 0
}

/// The options with which a program opens a workspace.
struct Slot: Codable, Sendable {
  enum Cache: String, Codable, Sendable { case unlimited, entries, bytes }

  var process: Int
  var file: Int
  /// True if the workspace is a replica with a file of its own, instead of sharing the file with the others.
  var isReplica = false
  var isReadOnly = false
  var isSerial = false
  var isFull = false
  var cache = Cache.unlimited
  var fillsIndexes = false
}

struct Step: Codable, Sendable {
  enum Action: Codable, Sendable {
    case run(Operation)
    /// Waits until everything that is due has happened, and checks the observers' events.
    case settle
    /// Follows other processes' commits.
    case catchUp
    case close(flags: Int)
    case open
    /// Runs threads of all workspaces for a moment. Invariants judge their results.
    case burst(Burst)
  }

  var slot: Int
  var action: Action
}

struct Program: Codable, Sendable {
  var slots: [Slot] { didSet { seed = nil } }
  /// The keys that the program uses.
  var names: [Name]
  var steps: [Step] { didSet { seed = nil } }
  /// The seed that generated the program, until the program is changed.
  private(set) var seed: UInt64?

  init(slots: [Slot], names: [Name], steps: [Step], seed: UInt64) {
    self.slots = slots
    self.names = names
    self.steps = steps
    self.seed = seed
  }
}
