package import Foundation
import TestSupport

/// Runs programs in separate processes, and compares every answer with the model.
package final class ProgramRunner {
  private let executable: URL
  private let arguments: [String]
  private let folder: String
  private var processes: [Int: WorkerProcess] = [:]
  private var runs = 0
  package private(set) var steps = 0

  /// - Parameters:
  ///   - executable: The program to start with these arguments, which calls `Worker.run`.
  ///   - folder: The folder for the runner's own folder, which is deleted with the runner.
  package init(executable: URL, arguments: [String], folder: String) throws {
    self.executable = executable
    self.arguments = arguments
    self.folder = "\(folder)/torture-model-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(
      atPath: self.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    for process in processes.values { process.kill() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A broken promise: the step, and the description of the fault.
  package struct Failure: Error {
    package var step: Int
    package var message: String
  }

  /// Runs a program to its end or to its first failure.
  func failure(of program: Program, patience: Int32 = 20) -> Failure? {
    runs += 1
    let path = "\(folder)/\(runs)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var run = ProgramRun(program, in: path, patience: patience) { [self] in try process($0) }
    let failure = run.failure()
    steps += run.steps
    // The processes of a failed program may hang, or be in a wrong state.
    if failure != nil {
      for process in processes.values { process.kill() }
      processes = [:]
    }
    return failure
  }

  private func process(_ number: Int) throws -> WorkerProcess {
    if let process = processes[number] { return process }
    let process = try WorkerProcess(executable, arguments)
    processes[number] = process
    return process
  }
}

/// A process that runs a program's steps.
final class WorkerProcess {
  private let process = Process()
  let channel: Channel
  private let input = Pipe()
  private let output = Pipe()
  private var knownColliding: [String]?

  init(_ executable: URL, _ arguments: [String]) throws {
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    let process = process
    try ProgramStart.alone { try process.run() }
    try? input.fileHandleForReading.close()
    try? output.fileHandleForWriting.close()
    channel = Channel(
      input: output.fileHandleForReading.fileDescriptor, output: input.fileHandleForWriting.fileDescriptor)
  }

  /// Keys that collide in the process, which are requested once.
  func colliding(within patience: Int32) throws -> [String] {
    if let known = knownColliding { return known }
    try channel.send(Request.colliding.message)
    let answer = Answer(from: try channel.receive(within: patience))
    Alphabet.use(colliding: answer.colliding)
    knownColliding = answer.colliding
    return answer.colliding
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var ending: String {
    process.waitUntilExit()
    return "\(process.terminationReason == .exit ? "exit" : "signal") \(process.terminationStatus)"
  }
}

/// One run of a program.
struct ProgramRun {
  private let program: Program
  private let model: Model
  private let folder: String
  private let process: (Int) throws -> WorkerProcess
  private(set) var steps = 0
  /// The index of the current step.
  private var index = -1

  init(
    _ program: Program, in folder: String, patience: Int32, process: @escaping (Int) throws -> WorkerProcess
  ) {
    self.patience = patience
    self.program = program
    self.folder = folder
    self.process = process
    model = Model(program)
  }

  /// The time that a step may take, in seconds.
  let patience: Int32

  mutating func failure() -> ProgramRunner.Failure? {
    do {
      let colliding = try process(0).colliding(within: patience)
      for number in Set(program.slots.map(\.process)).sorted() {
        _ = try ask(number, .begin(.init(program, in: folder, colliding: colliding)))
      }
      for slot in program.slots.indices { try run(Step(slot: slot, action: .open)) }
      for (place, step) in program.steps.enumerated() {
        index = place
        try run(step)
      }
      index = program.steps.count
      for slot in model.slots where slot.isOpen {
        if !slot.isShut { try run(Step(slot: slot.index, action: .settle)) }
        try run(Step(slot: slot.index, action: .close(flags: 0)))
      }
      for number in Set(program.slots.map(\.process)).sorted() { _ = try ask(number, .end) }
      try checkFolder()
      return nil
    } catch let mismatch as Mismatch {
      return .init(step: index, message: mismatch.description)
    } catch is Channel.Silent {
      return .init(step: index, message: "a step did not end within \(patience) seconds")
    } catch is Channel.Ended {
      return .init(step: index, message: "a process died")
    } catch {
      return .init(step: index, message: "\(error)")
    }
  }

  private func ask(_ number: Int, _ request: Request) throws -> Answer {
    let process = try process(number)
    try process.channel.send(request.message)
    do { return Answer(from: try process.channel.receive(within: patience)) } catch is Channel.Ended {
      throw Mismatch("the process ended by \(process.ending)")
    }
  }

  /// Checks that no files of SQLite's are left beside the database when all workspaces are closed.
  private func checkFolder() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    for name in names where name.hasSuffix("-wal") || name.hasSuffix("-shm") || name.hasSuffix("-journal") {
      throw Mismatch("\(name) was left behind by closed workspaces")
    }
  }

  // MARK: Steps

  private mutating func run(_ step: Step) throws {
    var step = step
    let slot = model.slots[step.slot]
    switch step.action {
    case .open, .close: break
    case .settle, .catchUp, .burst:
      if slot.isOpen, slot.isShut { step.action = .close(flags: 0) }
    case .run:
      // After a shutdown, wherever it was called, the workspace is used for at most two more steps.
      if slot.isOpen, slot.isShut, slot.stepsSinceShutdown > 1 {
        try runAlone(Step(slot: step.slot, action: .close(flags: 0)))
      }
      if !slot.isOpen { try runAlone(Step(slot: step.slot, action: .open)) }
    }
    try settleOthers(before: step)
    try catchUpReplicas(before: step)
    try runAlone(step)
    if slot.isShut { slot.stepsSinceShutdown += 1 }
  }

  /// Settles other workspaces. Their pending writes are committed at an unknown time, so no other workspace may write
  /// before.
  private mutating func settleOthers(before step: Step) throws {
    let slot = model.slots[step.slot]
    var used: Set<Int> = [slot.index]
    var settled: Set<Int> = []
    switch step.action {
    case .burst:
      // A burst reports failures of all workspaces of its process itself.
      for other in model.slots where other.slot.file == slot.slot.file && other.failure != nil {
        settled.insert(other.index)
      }
    case .run(let operation):
      used.formUnion(operation.others)
      // Of two workspaces with pending writes, whichever is settled first may show the other's.
      if operation.holdsObserve || operation.usesReplaced || operation.mayTakeThePlace(of: slot.pending)
        || operation.mayUseAnotherWithoutToken || !operation.others.isEmpty
      {
        settled.insert(slot.index)
      }
      // A step that uses two workspaces: the pending writes there are committed first.
      settled.formUnion(operation.others)
    default: break
    }
    let files = Set(used.map { model.slots[$0].slot.file })
    let open = model.slots.filter { $0.isOpen && files.contains($0.slot.file) }
    // Those with pending writes first: these may have been committed, and settling another workspace would show them.
    for other in open.filter({ !$0.pending.isEmpty }) + open.filter(\.pending.isEmpty) {
      let isHeld = !other.pending.isEmpty || settled.contains(other.index) && other.failure != nil
      guard isHeld, other !== slot || settled.contains(other.index) else { continue }
      if other !== slot || !other.isShut {
        try runAlone(Step(slot: other.index, action: other.isShut ? .close(flags: 0) : .settle))
      }
    }
  }

  /// Lets replicas apply the commits of the others: unlike workspaces on one file, they show only those that they have.
  private mutating func catchUpReplicas(before step: Step) throws {
    guard case .run(let operation) = step.action else { return }
    for index in Set([step.slot] + operation.others).sorted() {
      let slot = model.slots[index]
      guard slot.slot.isReplica, slot.isOpen, !slot.isShut, slot.seen < model.file(slot).history.count - 1 else {
        continue
      }
      try runAlone(Step(slot: index, action: .catchUp))
    }
  }

  private mutating func runAlone(_ step: Step) throws {
    let slot = model.slots[step.slot]
    switch step.action {
    case .open:
      if slot.isOpen { return }
    default:
      if !slot.isOpen { return }
    }
    if case .burst = step.action,
      slot.isShut || slot.slot.isReadOnly || model.slots.contains(where: { $0.isShut && $0.isOpen })
    {
      return
    }
    var step = step
    if case .close = step.action,
      model.slots.contains(where: { $0 !== slot && $0.isOpen && $0.slot.file == slot.slot.file })
    {
      // Only the last workspace that has the file open can leave a single file. Others would wait for that in vain.
      step.action = .close(flags: 0)
    }
    steps += 1
    let answer = try ask(slot.slot.process, step.action.upkeep == nil ? .planned(index) : .upkeep(step))
    if case .text(let text) = answer.reply, text.hasPrefix("!!") { throw Mismatch(text) }
    switch step.action {
    case .open:
      slot.isOpen = true
      slot.isShut = false
      slot.stepsSinceShutdown = 0
      slot.pending = []
      slot.failure = nil
      slot.observers = [:]
      slot.marks = [:]
      slot.seen = model.file(slot).history.count - 1
    case .close:
      model.flush(slot)
      try checkEvents(answer, slot, isClosing: true)
      slot.isOpen = false
      slot.isShut = true
      slot.observers = [:]
    case .catchUp: slot.seen = model.file(slot).history.count - 1
    case .settle:
      try model.synchronized(answer.reply, slot)
      if slot.isShut { return }
      slot.seen = model.file(slot).history.count - 1
      try checkEvents(answer, slot, isClosing: false)
      try model.check(number: answer.commitNumber, in: slot)
    case .run(let operation):
      try model.check(operation, answer.reply, at: slot, in: .plain, isTop: true)
    case .burst:
      if answer.reply.text != "ok" { throw Mismatch(answer.reply.text) }
      model.file(slot).isNumberOpen = true
      for other in model.slots where other.slot.file == slot.slot.file { other.externalSize += 100_000 }
    }
  }

  private func checkEvents(_ answer: Answer, _ slot: SlotModel, isClosing: Bool) throws {
    defer { slot.externalSize = 0 }
    for (id, observer) in slot.observers.sorted(by: { $0.key < $1.key }) {
      let isClosing = isClosing || slot.isShut
      do {
        try observer.check(answer.events[id] ?? [], externalSize: slot.externalSize, isClosing: isClosing)
      } catch {
        throw Mismatch("subscription \(id) of workspace \(slot.index) \(error)")
      }
    }
    for report in answer.reports where !slot.allowedReports.contains("!\(report)") {
      throw Mismatch("workspace \(slot.index) reported \(report)")
    }
  }
}

extension Operation {
  var body: [Operation] {
    switch self {
    case .add(_, _, let body), .transact(_, _, let body, _), .snapshot(let body), .callback(let body),
      .completion(let body), .encoder(_, _, let body), .late(_, _, let body), .decoder(_, let body),
      .elsewhere(_, let body):
      body
    case .batch(let members): members.flatMap(\.body)
    default: []
    }
  }

  /// Returns true if the operation writes a value whose late failure would also discard pending writes of its key.
  fileprivate func mayTakeThePlace(of pending: [PlainWrite]) -> Bool {
    guard case .set(let name, let value) = self, value.lateFailure != nil else { return false }
    return Model.mayChange(name, in: pending[...])
  }

  /// True if the operation lists replaced values, which plain writes that wait may add to.
  fileprivate var usesReplaced: Bool { if case .replaced = self { true } else { false } }

  /// True if the operation may use another workspace in a transaction that has no write token, because it was aborted
  /// before it took one: pending writes of the two would be committed in an unknown order.
  fileprivate var mayUseAnotherWithoutToken: Bool { !others.isEmpty && holdsAbort }

  private var holdsAbort: Bool {
    if case .abort = self { return true }
    return body.contains { $0.holdsAbort }
  }

  fileprivate var holdsObserve: Bool {
    if case .observe = self { return true }
    return body.contains { $0.holdsObserve }
  }

  /// The other workspaces that the operation uses.
  var others: [Int] {
    if case .elsewhere(let slot, _) = self { return [slot] }
    return body.flatMap(\.others)
  }
}
