import DflatKV
import GoldenModels
import HistoryChecker
import TestSupport

/// A random transaction in progress: decides its steps as it runs, and records what it did and saw.
struct OrderedRun {
  /// Thrown by transactions that are to fail.
  struct Failure: Error {}

  private struct Unencodable: Codable, Equatable {
    func encode(to encoder: any Encoder) throws { throw Failure() }
  }

  typealias Operation = OrderedHistory.Operation

  private let context: OrderedContext
  private let id: Int
  private(set) var operations: [Operation] = []
  /// True if the transaction holds the write lock.
  private var hasTurn = false
  /// True if the transaction wrote a value that can't be encoded, so that none of it may take effect.
  private(set) var mustFail = false
  private var random: SeededGenerator

  /// The stores of objects that the transaction declares.
  let stores: [Int]
  private let usesDictionary: Bool

  init(_ context: OrderedContext, id: Int, stores: [Int], random: SeededGenerator) {
    self.context = context
    self.id = id
    self.stores = stores
    var random = random
    usesDictionary = stores.isEmpty || Bool.random(using: &random)
    self.random = random
  }

  /// Returns the types that a transaction over some stores declares.
  static func types(_ stores: [Int]) -> [Any.Type] {
    stores.map { store -> Any.Type in store == 0 ? OrderedPosts.Element.self : OrderedDocs.Element.self }
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private mutating func newText() -> (value: Int, text: String) {
    let value = context.newValue()
    return (value, context.text(of: value, &random))
  }

  // MARK: The closure

  mutating func perform(_ transaction: TransactionContext) throws {
    let reads = chance(5)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<stores.count + (usesDictionary ? 1 : 0), using: &random)
      if place == stores.count {
        try dictionaryStep(transaction, reads: reads)
      } else if stores[place] == 0 {
        try objectStep(OrderedPosts.self, transaction, reads: reads)
      } else {
        try objectStep(OrderedDocs.self, transaction, reads: reads)
      }
    }
    try leaveTrace(transaction)
    let ending = Int.random(in: 0..<24, using: &random)
    // Records whether the transaction is to commit, for a process that dies before it has logged the end.
    if hasTurn { context.recorder.noteTurn(id, operations, isToCommit: ending > 2) }
    switch ending {
    case 0: transaction.abort()
    case 1: throw Failure()
    case 2:
      mustFail = true
      transaction.dictionary["unencodable"] = Unencodable()
    default: break
    }
  }

  /// Writes a key of which no version can be overlooked, in each transaction that writes. It shows which of them
  /// survive a kill.
  private mutating func leaveTrace(_ transaction: TransactionContext) throws {
    let hasWritten = operations.contains {
      switch $0 {
      case .write, .remove: true
      default: false
      }
    }
    guard hasWritten else { return }
    switch stores.first {
    case 0 where !usesDictionary || chance(2):
      try raise(Int.random(in: OrderedPosts.lasting, using: &random), OrderedPosts.self, transaction)
    case 1 where !usesDictionary || chance(2):
      try raise(Int.random(in: OrderedDocs.lasting, using: &random), OrderedDocs.self, transaction)
    default: try raise(Int.random(in: OrderedKeys.lasting, using: &random), transaction)
    }
  }

  // MARK: The dictionary

  private mutating func dictionaryStep(_ transaction: TransactionContext, reads: Bool) throws {
    hasTurn = true
    let dictionary = chance(2) ? transaction.dictionary : context.workspace.dictionary
    let names = context.names
    let fleeting = Int.random(in: OrderedKeys.fleeting, using: &random)
    switch Int.random(in: 0..<(reads ? 5 : 12), using: &random) {
    case 0, 1:
      let key = chance(2) ? Int.random(in: 0..<24, using: &random) : Int.random(in: 24..<64, using: &random)
      operations.append(try Self.read(key, dictionary, names))
    case 2: operations.append(try Self.find(OrderedHistory.Selection(Self.block(&random)), dictionary, names))
    case 3:
      // A list of keys throws nothing, so a read before it shows the conflict that ends this transaction.
      operations.append(try Self.read(fleeting, dictionary, names))
      operations.append(Self.names(.init(Self.block(&random)), dictionary, names))
    case 4: operations.append(try Self.find(.init(0..<256), dictionary, names))
    case 5, 6:
      let (value, text) = newText()
      dictionary[names[fleeting]] = text
      operations.append(.write(key: fleeting, value: value, attribute: 0))
    case 7:
      dictionary.removeValue(forKey: names[fleeting])
      operations.append(.remove(.init(fleeting..<fleeting + 1)))
    case 8:
      let keys = chance(2) ? 8..<16 : 16..<24
      dictionary.removeAll(withPrefix: names.prefix(of: keys))
      operations.append(.remove(.init(keys)))
      guard chance(2) else { break }
      let key = Int.random(in: keys, using: &random)
      let (value, text) = newText()
      dictionary[names[key]] = text
      operations.append(.write(key: key, value: value, attribute: 0))
    case 9: try setAndSetBack(chance(2) ? fleeting : Int.random(in: OrderedKeys.lasting, using: &random), dictionary)
    default: try raise(Int.random(in: OrderedKeys.lasting, using: &random), transaction)
    }
  }

  /// Changes a value and changes it back. No observer may receive that, and nothing else may be kept.
  private mutating func setAndSetBack(_ key: Int, _ dictionary: WorkspaceDictionary) throws {
    let name = context.names[key]
    let old = try dictionary.value(forKey: name, as: String.self)
    operations.append(.read(key: key, value: OrderedContext.value(of: old)))
    if chance(2) { dictionary[name] = "1" } else { dictionary.removeAll(withPrefix: name) }
    if let old { dictionary[name] = old } else { dictionary.removeValue(forKey: name) }
  }

  /// Reads a key and gives it a new value.
  private mutating func raise(_ key: Int, _ transaction: TransactionContext) throws {
    hasTurn = true
    let name = context.names[key]
    let (value, text) = newText()
    if chance(2) {
      let old = try transaction.dictionary.value(forKey: name, as: String.self)
      operations.append(.read(key: key, value: OrderedContext.value(of: old)))
      transaction.dictionary[name] = text
    } else {
      var old = ""
      try context.workspace.dictionary.update(name, default: "") {
        old = $0
        $0 = text
      }
      operations.append(.read(key: key, value: OrderedContext.value(of: old)))
    }
    operations.append(.write(key: key, value: value, attribute: 0))
    if chance(4) { operations.append(try Self.read(key, transaction.dictionary, context.names)) }
  }

  // MARK: Objects

  private mutating func objectStep<Store: OrderedStore>(
    _ store: Store.Type, _ transaction: TransactionContext, reads: Bool
  ) throws {
    let attribute = Int32.random(in: 0..<4, using: &random)
    let key = Int.random(in: Store.lasting.upperBound..<Store.keys.upperBound, using: &random)
    let name = context.names[key]
    switch Int.random(in: 0..<(reads ? 4 : 10), using: &random) {
    case 0, 1: operations.append(try Self.query(store, context, &random))
    case 2, 3: operations.append(try Self.read(Int.random(in: Store.keys, using: &random), store, context))
    case 4, 5:
      let (value, text) = newText()
      hasTurn = true
      try transaction.upsert(Store.make(name, text, attribute))
      operations.append(.write(key: key, value: value, attribute: Int(attribute)))
    case 6:
      let old = try context.workspace.query(for: Store.Element.self).where(Store.isNamed(name)).first()
      operations.append(.read(key: key, value: OrderedContext.value(of: old.map(Store.text))))
      guard let old else { break }
      hasTurn = true
      try transaction.delete(old)
      operations.append(.remove(.init(key..<key + 1)))
      guard chance(2) else { break }
      let (value, text) = newText()
      try transaction.insert(Store.make(name, text, attribute))
      operations.append(.write(key: key, value: value, attribute: Int(attribute)))
    case 7:
      hasTurn = true
      let selection = OrderedHistory.Selection(Store.keys, Int(attribute)...Int(attribute))
      let count = try transaction.deleteAll(Store.Element.self, where: Store.hasAttribute(attribute))
      operations += [.count(selection, count), .remove(selection)]
    case 8: try updateAll(store, attribute, transaction)
    default: try raise(Int.random(in: Store.lasting, using: &random), store, transaction)
    }
  }

  private mutating func updateAll<Store: OrderedStore>(
    _ store: Store.Type, _ attribute: Int32, _ transaction: TransactionContext
  ) throws {
    hasTurn = true
    let new = Int32.random(in: 0..<4, using: &random)
    var found: [OrderedHistory.Found] = []
    var writes: [Operation] = []
    let names = context.names
    var texts: [(value: Int, text: String)] = (0..<24).map { _ in newText() }
    try transaction.updateAll(Store.Element.self, where: Store.hasAttribute(attribute)) { fields in
      let old = fields.build(identity: .unsaved)
      let key = names.key(of: Store.name(of: old), beyond: Store.keys.lowerBound)
      found.append(.init(key, OrderedContext.value(of: Store.text(of: old))))
      let (value, text) = texts.removeLast()
      Store.set(text, new, in: &fields)
      writes.append(.write(key: key, value: value, attribute: Int(new)))
    }
    found.sort { $0.key < $1.key }
    operations.append(.find(.init(Store.keys, Int(attribute)...Int(attribute)), found))
    operations += writes
  }

  private mutating func raise<Store: OrderedStore>(
    _ key: Int, _ store: Store.Type, _ transaction: TransactionContext
  ) throws {
    let name = context.names[key]
    let (value, text) = newText()
    let attribute = Int32(OrderedKeys.lastingAttribute)
    let old = try context.workspace.query(for: Store.Element.self).where(Store.isNamed(name)).first()
    operations.append(.read(key: key, value: OrderedContext.value(of: old.map(Store.text))))
    hasTurn = true
    if let old, chance(2) {
      try transaction.update(old) { Store.set(text, attribute, in: &$0) }
    } else {
      try transaction.upsert(Store.make(name, text, attribute))
    }
    operations.append(.write(key: key, value: value, attribute: Int(attribute)))
  }
}
