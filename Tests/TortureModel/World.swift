/// The contents of a file.
struct FileState {
  var values: [Name: String] = [:]
  var rows: [Int64: Row] = [:]
  var posts: [Int64: PostRow] = [:]

  /// Returns the keys of a range, in the order of their bytes.
  func keys(_ namespace: Int, _ prefix: Int) -> [Int] {
    let covers = Alphabet.prefixCovers[prefix]
    return values.keys.filter { $0.namespace == namespace && covers[$0.key] }.map(\.key)
      .sorted { Alphabet.ranks[$0] < Alphabet.ranks[$1] }
  }

  mutating func clear(_ namespace: Int, _ prefix: Int) {
    let covers = Alphabet.prefixCovers[prefix]
    for name in values.keys where name.namespace == namespace && covers[name.key] { values[name] = nil }
  }

  /// True if a value is staged that SQLite will refuse.
  var isTooLarge: Bool { values.values.contains(Token.huge) }

  func row(numbered number: UInt64) -> Int64? { rows.first { $0.value.number == number }?.key }

  /// Returns true if the row may replace the row with that rowid, or be a new one.
  func accepts(_ row: Row, at rowid: Int64?) -> Bool {
    rows.allSatisfy { other, held in
      other == rowid
        || (held.number != row.number && (row.email == nil || held.email != row.email)
          && (row.card == nil || held.card != row.card))
    }
  }
}

/// A plain write that may not be committed yet.
enum PlainWrite {
  case set(Name, String?)
  case clear(Int, Int)

  func apply(to state: inout FileState) {
    switch self {
    case .set(let name, let token): state.values[name] = token
    case .clear(let namespace, let prefix): state.clear(namespace, prefix)
    }
  }
}

/// A file in the model.
final class FileModel {
  /// All states that were committed, in order; the last is the newest.
  var history = [FileState()]
  /// Rowids that were committed, which are never given to another object.
  var usedRowids: Set<Int64> = []
  var usedPosts: Set<Int64> = []
  /// The newest commit number that is known, and whether anything changed since.
  var number: UInt64?
  var hasChanged = false
  /// True if the number may have moved without a visible change.
  var isNumberOpen = false
  /// The values that writes have replaced.
  var replaced = ReplacedList()

  var current: FileState { history[history.count - 1] }
}

/// An object that the process keeps.
struct KeptObject {
  var file: Int
  var rowid: Int64
  var row: Row
  /// True if the insertion was undone, so that only the primary key has a meaning.
  var isUndone = false
}

final class SlotModel {
  let index: Int
  let slot: Slot
  var isOpen = false
  /// True if shutdown has begun.
  var isShut = false
  var stepsSinceShutdown = 0
  var pending: [PlainWrite] = []
  /// Plain reads may see states from this one on, because other processes' commits are followed some time later.
  var seen = 0
  /// Approximate size of others' commits in the change log since the last settling.
  var externalSize = 0
  /// The first known failure of plain writes, which `synchronize()` will throw.
  var failure: String?
  var observers: [Int: ObserverModel] = [:]
  /// The keys whose values reads of the workspace could not read.
  var marks: [Name: UnreadableMark] = [:]
  /// Reports that the error handler may receive.
  var allowedReports: Set<String> = []

  init(_ index: Int, _ slot: Slot) {
    self.index = index
    self.slot = slot
  }

  /// Tells apart the files to which objects belong: each replica has one of its own.
  var identityOfFile: Int { slot.isReplica ? -1 - index : slot.file }

  func overlay(on state: FileState) -> FileState {
    var state = state
    for write in pending { write.apply(to: &state) }
    return state
  }
}

/// A transaction's closure, as the model runs it.
final class TransactionModel {
  let slot: SlotModel
  let declares: Operation.Types
  let start: FileState
  var state: FileState
  var hasJoined = false
  /// The first failure, which the caller receives and every later operation of the closure throws. A transaction that
  /// fails before it has joined a group never joins one.
  private(set) var failure: String?
  /// False for an update that is a transaction of its own: operations in it can't refer to the transaction.
  var hasContext = true
  /// True if rows came, went or changed, possibly back to their former state.
  var movedRows = false
  /// True after `abort()`, even if the transaction had failed before, which decides its outcome.
  var isAborted = false
  /// The rowids of kept objects that the transaction inserted.
  var inserted: [Int64] = []
  /// The ranges of keys that the transaction has removed. What its later writes replace there is not kept.
  var clears: [PlainWrite] = []
  /// The replaced values that the transaction has put back, the latest of each key.
  var restorations: [Name: (id: ReplacedList.ID, token: String)] = [:]
  /// The replaced values that the transaction has removed from the list.
  var removed: Set<ReplacedList.ID> = []

  init(_ slot: SlotModel, declares: Operation.Types, on state: FileState) {
    self.slot = slot
    self.declares = declares
    start = state
    self.state = state
  }

  var hasSameObjects: Bool { state.rows == start.rows && state.posts == start.posts }

  func fail(_ code: String) { failure = failure ?? code }
}

/// The states that a snapshot may show: any prefix of the pending plain writes may be committed.
final class PinnedModel {
  var states: [FileState]
  /// True if the snapshot is taken in the encoding of a plain write.
  var mustNotWait = false

  init(_ states: [FileState]) { self.states = states }
}

struct Mismatch: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

enum ModelScope {
  case plain
  case transaction(TransactionModel)
  case snapshot(PinnedModel)
  /// The encoding of plain writes, during which the write token is held and nothing may wait.
  case encoding
}
