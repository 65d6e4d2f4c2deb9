import Foundation
import TestSupport

/// The program of a seed, and the smallest part of it that fails.
package struct ModelRound {
  package struct Failed: Error {
    package var message: String
    package var printed: String
  }

  /// Runs the program of a seed. Throws `Failed`.
  ///
  /// - Parameter shrinkSeconds: The time that the shrinking of a failing program may take.
  package static func run(seed: UInt64, on runner: ProgramRunner, shrinkSeconds: Double = 40) throws -> Int {
    var generator = ProgramGenerator(seed: seed)
    let program = generator.program()
    let before = runner.steps
    guard let failure = runner.failure(of: program) else { return runner.steps - before }
    var shrinking = ProgramShrinking(runner, deadline: Date(timeIntervalSinceNow: shrinkSeconds))
    let (smallest, last) = shrinking.shrink(program, failure)
    var text = smallest.printed
    text += "\n→ step \(last.step + 1): \(last.message)"
    if last.message != failure.message { text += "\nat first, at step \(failure.step + 1): \(failure.message)" }
    throw Failed(message: last.message, printed: text)
  }
}

/// Removes the parts of a failing program that the failure does not need.
struct ProgramShrinking {
  private let runner: ProgramRunner
  private let deadline: Date

  init(_ runner: ProgramRunner, deadline: Date) {
    self.runner = runner
    self.deadline = deadline
  }

  mutating func shrink(
    _ program: Program, _ failure: ProgramRunner.Failure
  ) -> (Program, ProgramRunner.Failure) {
    var best = (program, failure)
    best.0.steps = Array(best.0.steps.prefix(failure.step + 1))
    if let again = fails(best.0) { best.1 = again } else { best.0 = program }
    var size = max(1, best.0.steps.count / 2)
    while Date() < deadline {
      var hasShrunk = false
      var start = 0
      while start < best.0.steps.count, Date() < deadline {
        var shorter = best.0
        shorter.steps.removeSubrange(start..<min(start + size, shorter.steps.count))
        if let again = fails(shorter) {
          best = (shorter, again)
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1 {
        let hasSimplified = simplify(&best)
        if !hasShrunk && !hasSimplified { break }
      }
      size = max(1, size / 2)
    }
    dropSlots(&best)
    return best
  }

  /// Removes operations inside of steps.
  private mutating func simplify(_ best: inout (Program, ProgramRunner.Failure)) -> Bool {
    var hasSimplified = false
    var index = 0
    while index < best.0.steps.count, Date() < deadline {
      var isDone = true
      if case .run(let operation) = best.0.steps[index].action {
        for simpler in operation.simpler where Date() < deadline {
          var program = best.0
          program.steps[index].action = .run(simpler)
          if let again = fails(program) {
            best = (program, again)
            hasSimplified = true
            isDone = false
            break
          }
        }
      }
      if isDone { index += 1 }
    }
    return hasSimplified
  }

  private mutating func dropSlots(_ best: inout (Program, ProgramRunner.Failure)) {
    while best.0.slots.count > 1, Date() < deadline {
      let last = best.0.slots.count - 1
      if best.0.steps.contains(where: { $0.uses(last) }) { return }
      var program = best.0
      program.slots.removeLast()
      guard let again = fails(program) else { return }
      best = (program, again)
    }
  }

  /// A failure that depends on timing gets three attempts.
  private func fails(_ program: Program) -> ProgramRunner.Failure? {
    for _ in 0..<3 { if let failure = runner.failure(of: program, patience: 6) { return failure } }
    return nil
  }
}

extension Step {
  fileprivate func uses(_ slot: Int) -> Bool {
    if case .run(let operation) = action, operation.others.contains(slot) { return true }
    return self.slot == slot
  }
}

extension Operation {
  /// The operation without one of its parts, in each way, with the largest parts removed first.
  fileprivate var simpler: [Operation] {
    var found = body
    switch self {
    case .batch(let members):
      for index in members.indices {
        var fewer = members
        fewer.remove(at: index)
        if !fewer.isEmpty { found.append(.batch(fewer)) }
        for body in Self.shorter(members[index].body) {
          var changed = members
          changed[index].body = body
          found.append(.batch(changed))
        }
      }
    case .observe(let id, .closure(let reads)): found += reads.simpler.map { .observe(id, .closure($0)) }
    default: found += Self.shorter(body).map(with(body:))
    }
    // Operations that only work in a transaction are removed, as they would run outside of one.
    if case .transact = self { found.removeAll { $0.isEntityWrite } }
    if case .batch = self { found.removeAll { $0.isEntityWrite } }
    return found
  }

  private var isEntityWrite: Bool {
    switch self {
    case .insert, .upsert, .change, .upsertObject, .delete, .updateAll, .deleteAll, .submit, .abort, .post, .later: true
    default: false
    }
  }

  private static func shorter(_ body: [Operation]) -> [[Operation]] {
    var found: [[Operation]] = []
    for index in body.indices {
      var fewer = body
      fewer.remove(at: index)
      found.append(fewer)
      for simpler in body[index].simpler {
        var changed = body
        changed[index] = simpler
        found.append(changed)
      }
    }
    return found
  }

  private func with(body: [Operation]) -> Operation {
    switch self {
    case .add(let name, let amount, _): .add(name, amount, body)
    case .transact(let way, let declares, _, let ending): .transact(way, declares: declares, body, ending)
    case .snapshot: .snapshot(body)
    case .callback: .callback(body)
    case .completion: .completion(body)
    case .encoder(let name, let value, _): .encoder(name, value, body)
    case .late(let name, let text, _): .late(name, text, body)
    case .decoder(let name, _): .decoder(name, body)
    case .elsewhere(let slot, _): .elsewhere(slot, body)
    default: self
    }
  }
}
