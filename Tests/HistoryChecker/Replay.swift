/// Replays each transaction on its own. Collects its reads of other transactions' values and the values that it leaves,
/// and checks that it saw its own operations.
struct Replay {
  struct Write {
    /// The transaction that writes the value; negative if there is none.
    var transaction: Int32 = -1
    var key: Int32 = 0
    /// True for the last write of its transaction to its key.
    var isFinal = false
  }

  /// A read of values that other transactions left. A list doesn't include the transaction's own appends.
  struct Read {
    var transaction: Int32
    var state: History.Stored
  }

  /// The value that a transaction leaves in a register.
  struct RegisterWrite {
    var transaction: Int32
    var key: Int32
    var value: Int32
    /// The value that the transaction read there before; negative if it didn't read the register first.
    var predecessor: Int32
  }

  /// The last element that a transaction appends to a list.
  struct Append {
    var transaction: Int32
    var key: Int32
    var value: Int32
  }

  /// The writes, by value.
  private(set) var writes: [Write]
  private(set) var reads: [Read] = []
  private(set) var registerWrites: [RegisterWrite] = []
  private(set) var appends: [Append] = []
  let found = AnomalyList()

  init(_ history: History) {
    writes = Array(repeating: Write(), count: Int(history.largestValue) + 1)
    for index in history.transactions.indices { noteWrites(of: index, in: history) }
    for index in history.transactions.indices { replay(index, in: history) }
  }

  private mutating func noteWrites(of index: Int, in history: History) {
    let range = history.transactions[index].operations
    for place in range {
      let operation = history.operations[place]
      guard operation.isWrite else { continue }
      let value = Int(operation.value)
      if operation.value == History.initialValue || writes[value].transaction >= 0 {
        note(.malformed, [index], "\(history.describe(operation)) is not the only write of this value", history)
      }
      var isFinal = true
      for later in place + 1..<max(range.upperBound, place + 1)
      where history.operations[later].isWrite && history.operations[later].key == operation.key {
        isFinal = false
      }
      writes[value] = Write(transaction: Int32(index), key: operation.key, isFinal: isFinal)
    }
  }

  private mutating func replay(_ index: Int, in history: History) {
    let range = history.transactions[index].operations
    for place in range {
      let operation = history.operations[place]
      switch operation.kind {
      case .append:
        if writes[Int(operation.value)].isFinal {
          appends.append(Append(transaction: Int32(index), key: operation.key, value: operation.value))
        }
      case .write:
        if writes[Int(operation.value)].isFinal { noteRegisterWrite(operation, of: index, range, history) }
      case .readRegister: replayRegisterRead(operation, at: place, of: index, range, history)
      case .readList: replayListRead(operation, at: place, of: index, range, history)
      }
    }
  }

  private mutating func noteRegisterWrite(
    _ write: History.Stored, of index: Int, _ range: Range<Int>, _ history: History
  ) {
    guard let first = history.operations[range].first(where: { $0.key == write.key }) else { return }
    registerWrites.append(
      RegisterWrite(
        transaction: Int32(index), key: write.key, value: write.value,
        predecessor: first.kind == .readRegister ? first.value : -1))
  }

  private mutating func replayRegisterRead(
    _ read: History.Stored, at place: Int, of index: Int, _ range: Range<Int>, _ history: History
  ) {
    var before = place - 1
    while before >= range.lowerBound, history.operations[before].key != read.key { before -= 1 }
    guard before >= range.lowerBound else {
      reads.append(Read(transaction: Int32(index), state: read))
      return
    }
    if history.operations[before].value != read.value {
      note(
        .internalInconsistency, [index],
        "\(history.describe(read)) after \(history.describe(history.operations[before]))", history)
    }
  }

  private mutating func replayListRead(
    _ read: History.Stored, at place: Int, of index: Int, _ range: Range<Int>, _ history: History
  ) {
    // Backward from the end of the list: the transaction's own appends since its previous read, then that read.
    let list = history.list(read)
    var end = list.endIndex
    var before = place - 1
    while before >= range.lowerBound {
      let operation = history.operations[before]
      before -= 1
      guard operation.key == read.key else { continue }
      if operation.kind == .readList {
        if !list[list.startIndex..<end].elementsEqual(history.list(operation)) {
          note(
            .internalInconsistency, [index], "\(history.describe(read)) after \(history.describe(operation))", history)
        }
        return
      }
      guard end > list.startIndex, list[end - 1] == operation.value else {
        note(.internalInconsistency, [index], "\(history.describe(read)) after \(history.describe(operation))", history)
        return
      }
      end -= 1
    }
    var outside = read
    outside.count = UInt32(end - list.startIndex)
    reads.append(Read(transaction: Int32(index), state: outside))
    if let last = history.list(outside).last, writes[Int(last)].transaction == Int32(index) {
      note(.internalInconsistency, [index], "\(history.describe(read)) before it appends \(last)", history)
    }
  }

  private func note(
    _ kind: Anomaly.Kind, _ transactions: [Int], _ words: @autoclosure () -> String, _ history: History
  ) {
    found.note(kind, transactions, in: history, words)
  }
}
