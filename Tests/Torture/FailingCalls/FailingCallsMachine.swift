import CFaultVFS
import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// Makes what SQLite asks of the system fail, once or from some call on, and looks at everything afterwards (A1, A2, A7).
struct FailingCallsMachine: Machine {
  static let name = "failing-calls"
  static let summary = "Fails the n-th file operation or allocation, fills a real disk, takes all descriptors"
  static let unit = "points"
  static let share = 0.0
  static let goal = 20_000

  private let environment: TortureEnvironment
  /// A small disk, if this process may mount one.
  private let disk: SmallDisk?

  init(environment: TortureEnvironment) throws {
    guard faultvfs_install_allocator() == FAULTVFS_CODE_OK else { throw Skipped("SQLite refuses the allocator") }
    self.environment = environment
    disk = SmallDisk(at: environment.folder + "-disk")
    if disk == nil { environment.note("no small disk can be mounted here: full disks are simulated alone") }
  }

  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let points = 8
    for _ in 0..<points {
      let scarcity = Scarcity(using: &random, hasDisk: disk != nil)
      let scenario = FailureScenario(using: &random)
      let folder = if case .disk = scarcity, let disk { disk.path } else { environment.folder }
      let bench = try FailureBench(folder: folder, synchronous: Bool.random(using: &random) ? .full : .normal)
      do { try bench.run(scenario, under: scarcity) } catch {
        throw Finding((error as? Finding)?.message ?? "\(error)", case: "\(scenario) under \(scarcity)")
      }
    }
    return points
  }
}

/// What there is not enough of.
enum Scarcity: CustomStringConvertible {
  case fault(Fault, number: Int, lasts: Bool)
  case memory(number: Int, lasts: Bool)
  case descriptors(left: Int)
  case disk

  init(using random: inout SeededGenerator, hasDisk: Bool) {
    let lasts = Bool.random(using: &random)
    // Most operations come early.
    let most = [10, 40, 200].randomElement(using: &random) ?? 10
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<7:
      let faults = lasts ? Fault.lasting : Fault.all
      self = .fault(
        faults[Int.random(in: 0..<faults.count, using: &random)], number: Int.random(in: 1...most, using: &random),
        lasts: lasts)
    case 7..<10: self = .memory(number: Int.random(in: 1...(most * 5), using: &random), lasts: lasts)
    case 10 where hasDisk: self = .disk
    default: self = .descriptors(left: Int.random(in: 0...6, using: &random))
    }
  }

  var description: String {
    switch self {
    case .fault(let fault, let number, let lasts): "\(fault), operation \(number)\(lasts ? " and all after it" : "")"
    case .memory(let number, let lasts): "no memory, allocation \(number)\(lasts ? " and all after it" : "")"
    case .descriptors(let left): "\(left) descriptors left"
    case .disk: "a full disk"
    }
  }
}
