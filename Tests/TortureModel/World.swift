/// What a file holds.
struct FileState {
  var values: [Name: String] = [:]
  var rows: [Int64: Row] = [:]
  var posts: [Int64: PostRow] = [:]

  /// Keys of a range, in the order of their bytes.
  func keys(_ namespace: Int, _ prefix: Int) -> [Int] {
    let covers = Alphabet.prefixCovers[prefix]
    return values.keys.filter { $0.namespace == namespace && covers[$0.key] }.map(\.key)
      .sorted { Alphabet.ranks[$0] < Alphabet.ranks[$1] }
  }

  mutating func clear(_ namespace: Int, _ prefix: Int) {
    let covers = Alphabet.prefixCovers[prefix]
    for name in values.keys where name.namespace == namespace && covers[name.key] { values[name] = nil }
  }

  /// A transaction stages what SQLite then refuses.
  var isTooLarge: Bool { values.values.contains(Token.huge) }

  func row(numbered number: UInt64) -> Int64? { rows.first { $0.value.number == number }?.key }

  /// Whether a row may be there, in the place of another one or as a new one.
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

/// A file, as the model has it.
final class FileModel {
  /// All states that were committed, in order; the last is the newest.
  var history = [FileState()]
  /// Rowids that were committed: never given to another object.
  var usedRowids: Set<Int64> = []
  var usedPosts: Set<Int64> = []
  /// The newest commit number that is known, and whether anything changed since.
  var number: UInt64?
  var hasChanged = false
  /// True where the number may have moved without a visible change.
  var isNumberOpen = false

  var current: FileState { history[history.count - 1] }
}

/// An object that the process keeps.
struct KeptObject {
  var file: Int
  var rowid: Int64
  var row: Row
  /// The insert was undone: only the primary key means anything.
  var isUndone = false
}

final class SlotModel {
  let index: Int
  let slot: Slot
  var isOpen = false
  /// Shutdown has begun.
  var isShut = false
  var stepsSinceShutdown = 0
  var pending: [PlainWrite] = []
  /// States from this one on may be what plain reads see: other processes' commits are followed some time later.
  var seen = 0
  /// About what others' commits took in the change log since the last settling.
  var foreignSize = 0
  /// The plain writes that are known to have failed, for `synchronize`.
  var failure: String?
  var observers: [Int: ObserverModel] = [:]
  /// Reports that the error handler may get.
  var allowedReports: Set<String> = []

  init(_ index: Int, _ slot: Slot) {
    self.index = index
    self.slot = slot
  }

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
  /// Why it fails. What fails first is what its caller is told, and what every later operation of its closure throws; one that
  /// fails before it has joined a group never joins one.
  private(set) var failure: String?
  /// False for an update that is a transaction of its own: nothing in it can name the transaction.
  var hasContext = true
  /// Rows came, went or changed, and may be again what they were.
  var movedRows = false
  /// The rows of kept objects that it inserted.
  var inserted: [Int64] = []

  init(_ slot: SlotModel, declares: Operation.Types, on state: FileState) {
    self.slot = slot
    self.declares = declares
    start = state
    self.state = state
  }

  var hasSameObjects: Bool { state.rows == start.rows && state.posts == start.posts }

  func fail(_ code: String) { failure = failure ?? code }
}

/// What a snapshot may show: plain writes that wait may be committed, or some of them.
final class PinnedModel {
  var states: [FileState]
  /// It is in the encoding of a plain write.
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
  /// While plain writes are encoded, with the write token in hand: nothing may wait.
  case encoding
}
