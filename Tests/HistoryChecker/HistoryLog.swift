/// The lines in which a process logs its transactions as they run. They remain when the process is killed.
///
///     I 7 1000 5 a3:17 w4:18              transaction 7 was called at 1000, in lanes 0 and 2, and will write this
///     C 7 1004 1020 c l3:1,2 a3:17 …      it was queued at 1004, and committed at 1020 with these operations
///     O 2 1019 l3:1,2,17                  observer 2 received this
///
/// `a` appends, `l` reads a list, `w` writes a register, `r` reads one, where 0 is unset.
package enum HistoryLog {
  package static func line(
    calling id: Int, invoked: UInt64, lanes: [Int], writing operations: [History.Operation]
  ) -> String {
    "I \(id) \(invoked) \(lanes.reduce(0) { $0 | (1 << $1) })\(text(of: operations))\n"
  }

  package static func line(
    ending id: Int, queued: UInt64?, completed: UInt64, outcome: History.Outcome, having operations: [History.Operation]
  ) -> String {
    let letter =
      switch outcome {
      case .committed: "c"
      case .aborted: "a"
      case .unknown: "u"
      }
    return "C \(id) \(queued ?? completed) \(completed) \(letter)\(text(of: operations))\n"
  }

  package static func line(observer: Int, time: UInt64, state: History.Operation) -> String {
    "O \(observer) \(time)\(text(of: [state]))\n"
  }

  private static func text(of operations: [History.Operation]) -> String {
    var text = ""
    for operation in operations {
      switch operation {
      case .append(let key, let value): text += " a\(key):\(value)"
      case .write(let key, let value): text += " w\(key):\(value)"
      case .readRegister(let key, let value): text += " r\(key):\(value ?? 0)"
      case .readList(let key, let elements):
        text += " l\(key):" + elements.map { "\($0)" }.joined(separator: ",")
      }
    }
    return text
  }
}

extension History {
  /// Thrown for a line that is not in the log's format.
  package struct BadLine: Error { package let line: String }

  /// Adds the log of one process. A transaction without an end has an unknown outcome. A line that was cut short is
  /// ignored.
  package mutating func add(log: [UInt8], process: Int) throws {
    var reader = LogReader(bytes: log)
    var open: [Int: (invoked: UInt64, lanes: [Int], writes: [Operation])] = [:]
    while let kind = reader.nextLine() {
      switch kind {
      case UInt8(ascii: "I"):
        let (id, invoked, lanes) = (reader.number(), reader.number(), reader.number())
        open[id] = (UInt64(invoked), (0..<32).filter { lanes & (1 << $0) != 0 }, reader.operations())
      case UInt8(ascii: "C"):
        let (id, queued, completed, outcome) = (reader.number(), reader.number(), reader.number(), reader.letter())
        guard let call = open.removeValue(forKey: id) else { throw BadLine(line: reader.line) }
        let isUnknown = outcome == UInt8(ascii: "u")
        let call2 = Call(
          process: process, invoked: call.invoked, queued: UInt64(queued),
          completed: isUnknown ? Self.never : UInt64(completed),
          outcome: isUnknown ? .unknown : outcome == UInt8(ascii: "c") ? .committed : .aborted, lanes: call.lanes)
        let operations = reader.operations()
        add(call2, isUnknown ? call.writes : operations)
      case UInt8(ascii: "O"):
        let (observer, time) = (reader.number(), reader.number())
        guard let state = reader.operations().first else { throw BadLine(line: reader.line) }
        add(Observation(observer: observer, process: process, time: UInt64(time), state: state))
      default: throw BadLine(line: reader.line)
      }
    }
    for (_, call) in open.sorted(by: { $0.key < $1.key }) {
      add(
        Call(
          process: process, invoked: call.invoked, completed: Self.never, outcome: .unknown, lanes: call.lanes),
        call.writes)
    }
  }
}

/// Reads numbers and operations from lines, byte by byte.
private struct LogReader {
  let bytes: [UInt8]
  private var place = 0
  private var lineStart = 0
  private var end = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var line: String { String(decoding: bytes[lineStart..<end], as: UTF8.self) }

  /// Moves to the next complete line, and returns its first letter.
  mutating func nextLine() -> UInt8? {
    lineStart = end == 0 ? 0 : end + 1
    guard lineStart < bytes.count, let newline = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    end = newline
    place = lineStart + 1
    return end > lineStart ? bytes[lineStart] : 0
  }

  mutating func letter() -> UInt8 {
    skipSpace()
    guard place < end else { return 0 }
    place += 1
    return bytes[place - 1]
  }

  mutating func number() -> Int {
    skipSpace()
    var number = 0
    while place < end, bytes[place] &- 48 < 10 {
      number = number * 10 + Int(bytes[place] - 48)
      place += 1
    }
    return number
  }

  mutating func operations() -> [History.Operation] {
    var operations: [History.Operation] = []
    while case let kind = letter(), kind != 0 {
      let key = number()
      place += 1
      switch kind {
      case UInt8(ascii: "a"): operations.append(.append(key: key, value: number()))
      case UInt8(ascii: "w"): operations.append(.write(key: key, value: number()))
      case UInt8(ascii: "r"):
        let value = number()
        operations.append(.readRegister(key: key, value: value == 0 ? nil : value))
      default:
        var elements: [Int] = []
        while place < end, bytes[place] != 32 {
          elements.append(number())
          if place < end, bytes[place] == UInt8(ascii: ",") { place += 1 }
        }
        operations.append(.readList(key: key, elements: elements))
      }
    }
    return operations
  }

  private mutating func skipSpace() {
    while place < end, bytes[place] == 32 { place += 1 }
  }
}
