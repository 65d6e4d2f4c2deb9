import DflatKV
import Dispatch
import Foundation
import Synchronization

/// The latency of single transactions while something else happens to the file.
enum LatencyUnderLoad {
  /// The load during the measurement.
  enum Load: String, CaseIterable, Codable {
    case nothing, plainWrites, checkpoints, snapshot

    var title: String {
      switch self {
      case .nothing: "nothing else"
      case .plainWrites: "another thread writes single keys as fast as it can"
      case .checkpoints: "each transaction has 100 keys of 1,000 bytes, so that about every tenth needs a checkpoint"
      case .snapshot: "a snapshot stays open"
      }
    }
  }

  struct Row: Codable {
    var load: Load
    var workspace = LatencyHistogram()
    var raw = LatencyHistogram()
  }

  private static let rounds = 2
  private static let keys = KeyNames.list(count: 1_000)
  private static let largeKeys = 100
  private static let largeValue = Data(repeating: 7, count: 1_000)

  /// Measures each load for a time, half of it for the library and half for the baseline, in alternation. A snapshot stays
  /// open for a whole measurement, which is a fourth of the time.
  static func rows(seconds: Double, _ scratch: ScratchFolder) throws -> [Row] {
    try Load.allCases.map { load in
      var row = Row(load: load)
      for _ in 0..<rounds {
        try measureWorkspace(load, seconds / Double(2 * rounds), &row.workspace, scratch)
        try measureRaw(load, seconds / Double(2 * rounds), &row.raw, scratch)
      }
      return row
    }
  }

  private static func measureWorkspace(
    _ load: Load, _ seconds: Double, _ histogram: inout LatencyHistogram, _ scratch: ScratchFolder
  ) throws {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    try Workload.withWorkspace(path) { workspace in
      try workspace.transactAndWait { $0.dictionary[keys[0], Int.self] = 1 }
      let meanwhile = Meanwhile(load) { isOver in
        switch load {
        case .nothing, .checkpoints: break
        case .plainWrites:
          var number = 0
          while !isOver() {
            number += 1
            workspace.dictionary[keys[500 + number % 500], Int.self] = number
          }
        case .snapshot:
          try workspace.fetchWithinASnapshot {
            _ = try workspace.dictionary.value(forKey: keys[0], as: Int.self)
            while !isOver() { usleep(1_000) }
          }
        }
      }
      try commit(for: seconds, to: &histogram) { number in
        try workspace.transactAndWait { transaction in
          if load == .checkpoints {
            for index in 0..<largeKeys { transaction.dictionary[keys[index]] = largeValue + [UInt8(number % 256)] }
          } else {
            transaction.dictionary[keys[number % 500], Int.self] = number
          }
        }
      }
      try meanwhile.end()
    }
  }

  private static func measureRaw(
    _ load: Load, _ seconds: Double, _ histogram: inout LatencyHistogram, _ scratch: ScratchFolder
  ) throws {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    let raw = try RawDatabase(path: path)
    try raw.write { try raw.insert(keys[0], 1) }
    let meanwhile = Meanwhile(load) { isOver in
      let other = try RawDatabase(path: path)
      switch load {
      case .nothing, .checkpoints: break
      case .plainWrites:
        var number = 0
        while !isOver() {
          number += 1
          try other.write { try other.insert(keys[500 + number % 500], number) }
        }
      case .snapshot:
        try other.read {
          _ = try other.select(keys[0])
          while !isOver() { usleep(1_000) }
        }
      }
    }
    try commit(for: seconds, to: &histogram) { number in
      try raw.write {
        if load == .checkpoints {
          let value = largeValue + [UInt8(number % 256)]
          try value.withUnsafeBytes { bytes in
            for index in 0..<largeKeys { try raw.insert(keys[index], bytes) }
          }
        } else {
          try raw.insert(keys[number % 500], number)
        }
      }
    }
    try meanwhile.end()
  }

  private static func commit(
    for seconds: Double, to histogram: inout LatencyHistogram, _ body: (Int) throws -> Void
  ) throws {
    let end = MonotonicClock.nanoseconds + Int(seconds * 1e9)
    var number = 0
    var start = MonotonicClock.nanoseconds
    while start < end {
      number += 1
      try body(number)
      let now = MonotonicClock.nanoseconds
      histogram.add(nanoseconds: now - start)
      start = now
    }
  }
}

/// A thread that does something until it is told to end.
private final class Meanwhile: Sendable {
  private let isOver = Atomic(false)
  private let failure = Mutex<(any Error)?>(nil)
  private let group = DispatchGroup()

  init(_ load: LatencyUnderLoad.Load, _ body: @escaping @Sendable (_ isOver: () -> Bool) throws -> Void) {
    guard load == .plainWrites || load == .snapshot else { return }
    let started = DispatchSemaphore(value: 0)
    DispatchQueue.global().async(group: group) { [self] in
      started.signal()
      do { try body { isOver.load(ordering: .relaxed) } } catch { failure.withLock { $0 = error } }
    }
    started.wait()
  }

  /// Ends the work, and throws its error.
  func end() throws {
    isOver.store(true, ordering: .relaxed)
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
