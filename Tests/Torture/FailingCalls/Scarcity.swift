import CFaultVFS
import Foundation
import TestSupport

/// A resource that is scarce or fails.
enum Scarcity: CustomStringConvertible {
  case fault(Fault)
  case memory
  case descriptors
  case disk

  init(using random: inout SeededGenerator, hasDisk: Bool, lasts: Bool) {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<6:
      // Falsified bytes are treated as data, so they cause no error.
      let faults = (lasts ? Fault.lasting : Fault.all).filter { $0.code != .badData }
      self = .fault(faults[Int.random(in: 0..<faults.count, using: &random)])
    case 6..<9: self = .memory
    case 9 where hasDisk, 10 where hasDisk: self = .disk
    default: self = .descriptors
    }
  }

  /// The name under which the points are counted.
  var kind: String {
    switch self {
    case .fault: "file operations"
    case .memory: "allocations"
    case .descriptors: "descriptors"
    case .disk: "full disks"
    }
  }

  var description: String {
    switch self {
    case .fault(let fault): "\(fault)"
    case .memory: "no memory"
    case .descriptors: "descriptors left"
    case .disk: "pages left on the disk"
    }
  }

  /// Runs `body` without failures. Returns the number of operations that could fail.
  func dryRun(in directory: TemporaryDirectory, _ body: () -> Void) throws -> Int {
    switch self {
    case .fault(let fault):
      let plan = try FaultPlan(fault.operations, on: fault.files, in: directory.path, fail: .never)
      body()
      return plan.matchCount
    case .memory:
      faultvfs_fail_allocations(0, 0)
      body()
      return faultvfs_allocations()
    case .descriptors:
      body()
      return 12
    case .disk:
      body()
      return 24
    }
  }

  /// Runs `body` while the operation with that number fails, once or with all after it, or while only that much of the
  /// resource is left. Also returns the number of operations that failed, as far as it is known.
  func during<R>(
    _ number: Int, lasts: Bool, in directory: TemporaryDirectory, _ body: () -> R
  ) throws -> (result: R, failures: Int) {
    switch self {
    case .fault(let fault):
      let plan = try FaultPlan(
        fault.operations, on: fault.files, in: directory.path, fail: lasts ? .from(number) : .once(number),
        with: fault.code)
      defer { plan.cancel() }
      let result = body()
      return (result, plan.faultCount)
    case .memory:
      faultvfs_fail_allocations(number, lasts ? -1 : 1)
      let result = body()
      let failures = faultvfs_failed_allocations()
      faultvfs_fail_allocations(0, 0)
      return (result, failures)
    case .descriptors: return (withDescriptors(number - 1, body), 1)
    case .disk: return (try SmallDisk.filled(directory, leaving: number - 1, body), 1)
    }
  }

  private func withDescriptors<R>(_ left: Int, _ body: () -> R) -> R {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    let next = dup(STDOUT_FILENO)
    close(next)
    var limit = before
    limit.rlim_cur = rlim_t(Int(next) + left)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
    return body()
  }
}
