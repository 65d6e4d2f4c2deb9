import Foundation

/// An operation whose instructions are counted: a fixed amount of work on the calling thread.
///
/// A simulated processor counts the same each time, on a busy machine too, so a small change of the speed shows. The
/// work of other threads isn't counted.
struct CountedOperation {
  /// The operation on files of its own, with everything done that isn't counted.
  struct Prepared {
    let work: () throws -> Void
    var close: () -> Void = {}
  }

  let id: String
  /// The number of operations that one call of the work does.
  let count: Int
  let prepare: (ScratchFolder) throws -> Prepared

  init(_ id: String, count: Int, _ prepare: @escaping (ScratchFolder) throws -> Prepared) {
    self.id = id
    self.count = count
    self.prepare = prepare
  }

  /// Does the work twice. The first time, it fills caches and creates what the runtime creates on first use; the second
  /// time is counted.
  func run() throws {
    let scratch = try ScratchFolder()
    let warmUp = try prepare(scratch)
    try warmUp.work()
    warmUp.close()
    let prepared = try prepare(scratch)
    defer { prepared.close() }
    try countedSection(prepared.work)
  }
}

/// Runs the work. `scripts/count-instructions.py` counts the instructions between this function's entry and its return,
/// and finds it by its name.
@inline(never)
private func countedSection(_ work: () throws -> Void) throws {
  try work()
}
