import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// `crash PATH PAYLOAD [FAILPOINT HITS [maintain]]`: writes numbered transactions and plain writes until it is killed, by the
/// test or by itself when it reaches the failpoint for the given time; the failpoint `file` is any operation on the file, the
/// first open, recovery and checkpoints included. `maintain` compacts the file and fills indexes now and then.
///
/// Two threads write: one transactions of three keys `t.`, an object that is changed and one that is new, the other
/// transactions of two keys `u.` and plain writes to `p`. Each says `t|u|p NUMBER COMMIT` when its completion was delivered. PAYLOAD is the size of a value that each `t`
/// transaction sets besides.
enum CrashCommand: Command {
  static let name = "crash"

  static func run(_ arguments: Arguments) throws {
    let payload = try arguments.number(1)
    let rest = arguments.rest(from: 2)
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    var plan: FaultPlan?
    if rest.count >= 2, rest[0] == "file" {
      options.vfs = FaultPlan.vfsName
      plan = try FaultPlan(.any, in: arguments.path, at: .once(try arguments.number(3))) {
        kill(getpid(), SIGKILL)
        return nil
      }
    } else if rest.count >= 2 {
      armToKill(at: rest[0], after: try arguments.number(3))
    }
    defer { withExtendedLifetime(plan) {} }
    let maintains = rest.last == "maintain"
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path, options: options)
    say("ready")
    let beside = BackgroundThread { try writeBeside(workspace) }
    let dictionary = workspace.dictionary
    for number in (dictionary["t.a", default: 0] + 1)... {
      try workspace.transactAndWait([Post.self]) { transaction in
        for key in ["t.a", "t.b", "t.c"] { transaction.dictionary[key] = number }
        try transaction.upsert(Post(title: "last", priority: Int32(number)))
        try transaction.insert(Post(title: "t \(number)", priority: Int32(number)))
        if payload > 0 { transaction.dictionary["t.payload"] = Data(repeating: UInt8(number & 0xff), count: payload) }
      }
      say("t \(number) \(workspace.commitNumber)")
      if maintains, number % 12 == 0 { _ = try workspace.compact() }
      if maintains, number % 5 == 0 { _ = workspace.fetch(for: Post.self).count(where: Post.priority > 0) }
    }
    try beside.join()
  }

  private static func writeBeside(_ workspace: SQLiteWorkspace) throws {
    let dictionary = workspace.dictionary
    for number in (dictionary["u.a", default: 0] + 1)... {
      try workspace.transactAndWait { transaction in
        for key in ["u.a", "u.b"] { transaction.dictionary[key] = number }
      }
      say("u \(number) \(workspace.commitNumber)")
      dictionary["p"] = number
      try dictionary.synchronize()
      say("p \(number) \(workspace.commitNumber)")
    }
  }
}
