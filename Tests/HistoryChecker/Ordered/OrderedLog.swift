/// The lines in which a process logs its clients' operations as they run. They remain when the process is killed.
///
///     I 7 1 t 5 1000             step 7 of thread 1, a transaction in lanes 0 and 2, is called
///     T 7 1012 r3:5 w3:17:0 …    it held the write lock at 1012, after these operations
///     A 7 1012 r3:5 w3:17:0 …    the same, and it will be rolled back
///     S 7 r24:5 w24:18:0         it is a swap, which is about to do this
///     Q 7 1004                   the call that queued it had returned
///     C 7 1020 c                 it ended, committed; a step without a turn lists its reads here
///     W 2 9 1030                 the ninth plain write of chain 2 begins
///     R 2 9 1031                 … has returned
///     Y 2 9 1040                 … and all before it are synchronized
///     K 4 1041 u3:17             subscription 4 received a key's value; i: the initial one
///     L 4 1042 f0:24:0:3:5=17    … received a result
///     Z                          subscriptions received everything
///
/// `r` reads, `w` writes, `d` removes, `f` finds, `n` counts, `k` names keys.
package enum OrderedLog {
  package static func text(of operation: OrderedHistory.Operation) -> String {
    switch operation {
    case .read(let key, let value): "r\(key):\(value)"
    case .write(let key, let value, let attribute): "w\(key):\(value):\(attribute)"
    case .find(let selection, let found):
      "f\(text(of: selection))\(found.map { ":\($0.key)=\($0.value)" }.joined())"
    case .names(let selection, let keys): "k\(text(of: selection))\(keys.map { ":\($0)" }.joined())"
    case .count(let selection, let count): "n\(text(of: selection)):\(count)"
    case .remove(let selection): "d\(text(of: selection))"
    }
  }

  private static func text(of selection: OrderedHistory.Selection) -> String {
    let (keys, attributes) = (selection.keys, selection.attributes)
    return "\(keys.lowerBound):\(keys.upperBound):\(attributes.lowerBound):\(attributes.upperBound)"
  }
}

extension OrderedHistory {
  /// Thrown for a line that is not in the log's format.
  package struct BadLine: Error { package let line: String }

  /// Adds the log of one process. A step without an end has an unknown outcome; if it has no turn, either, it did
  /// nothing. A line that was cut short is ignored.
  package mutating func add(log: [UInt8], process: Int) throws {
    var reader = OrderedLogReader(bytes: log)
    var open: [Int: Step] = [:]
    var chains: [Int: Chain] = [:]
    while let letter = reader.nextLine() {
      let number = reader.number()
      switch letter {
      case UInt8(ascii: "I"):
        let (thread, kind, lanes) = (reader.number(), reader.letter(), reader.number())
        var step = Step(process: process, thread: thread, kind: Self.kind(kind), invoked: UInt64(reader.number()))
        step.lanes = UInt32(lanes)
        open[number] = step
      case UInt8(ascii: "Q"): open[number]?.queued = UInt64(reader.number())
      case UInt8(ascii: "T"), UInt8(ascii: "A"):
        if letter == UInt8(ascii: "A") { open[number]?.outcome = .aborted }
        open[number]?.turn = UInt64(reader.number())
        open[number]?.operations = reader.operations()
      case UInt8(ascii: "S"):
        open[number]?.isSwap = true
        open[number]?.operations = reader.operations()
      case UInt8(ascii: "C"):
        guard var step = open.removeValue(forKey: number) else { throw BadLine(line: reader.line) }
        step.completed = UInt64(reader.number())
        switch reader.letter() {
        case UInt8(ascii: "c"): step.outcome = .committed
        case UInt8(ascii: "a"): step.outcome = .aborted
        default: step.completed = Self.never
        }
        if step.turn == nil, !step.isSwap { step.operations = reader.operations() }
        // The line of the call's return may follow that of the completion.
        if step.queued == Self.never { step.queued = step.completed }
        add(step)
      case UInt8(ascii: "W"):
        _ = reader.number()
        chains[number, default: Chain(process: process)].invoked.append(UInt64(reader.number()))
      case UInt8(ascii: "R"):
        _ = reader.number()
        chains[number]?.returned.append(UInt64(reader.number()))
      case UInt8(ascii: "Y"):
        let upTo = reader.number()
        chains[number]?.synced.append((upTo, UInt64(reader.number())))
      case UInt8(ascii: "K"): try add(reader.keyObservation(observer: number, process: process))
      case UInt8(ascii: "L"):
        let time = UInt64(reader.number())
        guard case .find(let selection, let found)? = reader.operations().first else {
          throw BadLine(line: reader.line)
        }
        add(Observation(process: process, observer: number, time: time, .result(selection, found)))
      case UInt8(ascii: "Z"): noteDrained(process)
      default: throw BadLine(line: reader.line)
      }
    }
    for (_, step) in open.sorted(by: { $0.key < $1.key }) where step.turn != nil || step.isSwap {
      add(step)
    }
    for (number, chain) in chains { add(chain, number: number) }
  }

  private static func kind(_ letter: UInt8) -> Kind {
    switch letter {
    case UInt8(ascii: "s"): .snapshot
    case UInt8(ascii: "p"): .plain
    default: .transaction
    }
  }
}

/// Reads numbers and operations from lines, byte by byte.
private struct OrderedLogReader {
  let bytes: [UInt8]
  private var place = 0
  private var lineStart = 0
  private var end = -1

  init(bytes: [UInt8]) { self.bytes = bytes }

  var line: String { String(decoding: bytes[lineStart..<end], as: UTF8.self) }

  /// Moves to the next complete line, and returns its first letter.
  mutating func nextLine() -> UInt8? {
    lineStart = end + 1
    guard lineStart < bytes.count, let newline = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    end = newline
    place = lineStart + 1
    return end > lineStart ? bytes[lineStart] : 0
  }

  mutating func letter() -> UInt8 {
    while place < end, bytes[place] == UInt8(ascii: " ") { place += 1 }
    guard place < end else { return 0 }
    place += 1
    return bytes[place - 1]
  }

  /// Returns the number after any separators.
  mutating func number() -> Int {
    while place < end, bytes[place] &- 48 > 9 { place += 1 }
    var number = 0
    while place < end, bytes[place] &- 48 < 10 {
      number = number * 10 + Int(bytes[place] - 48)
      place += 1
    }
    return number
  }

  private var isInOperation: Bool { place < end && bytes[place] != UInt8(ascii: " ") }

  private mutating func selection() -> OrderedHistory.Selection {
    let (lower, upper) = (number(), number())
    let first = number()
    return .init(lower..<max(lower, upper), first...max(first, number()))
  }

  mutating func operations() -> [OrderedHistory.Operation] {
    var operations: [OrderedHistory.Operation] = []
    while case let kind = letter(), kind != 0 {
      switch kind {
      case UInt8(ascii: "r"):
        let key = number()
        operations.append(.read(key: key, value: number()))
      case UInt8(ascii: "w"):
        let (key, value) = (number(), number())
        operations.append(.write(key: key, value: value, attribute: number()))
      case UInt8(ascii: "d"): operations.append(.remove(selection()))
      case UInt8(ascii: "n"):
        let selection = selection()
        operations.append(.count(selection, number()))
      case UInt8(ascii: "k"):
        let selection = selection()
        var keys: [Int] = []
        while isInOperation { keys.append(number()) }
        operations.append(.names(selection, keys))
      default:
        let selection = selection()
        var found: [OrderedHistory.Found] = []
        while isInOperation {
          let key = number()
          found.append(.init(key, number()))
        }
        operations.append(.find(selection, found))
      }
    }
    return operations
  }

  mutating func keyObservation(observer: Int, process: Int) throws -> OrderedHistory.Observation {
    let time = UInt64(number())
    let isInitial = letter() == UInt8(ascii: "i")
    let key = number()
    let value = number()
    return .init(
      process: process, observer: observer, time: time,
      isInitial ? .initial(key: key, value: value) : .key(key, value: value))
  }
}
