import ArgumentParser
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct TTLCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "ttl",
    abstract: "Print, or change, when a key expires.",
    discussion: """
      Prints the remaining lifetime in seconds, or none if the key does not expire. With LIFETIME, the key keeps its value \
      and expires after that; with none, it no longer expires. LIFETIME is a number with a unit, such as 90s, 1h30m or 2d \
      (ms, s, m, h, d, w); without a unit, it is in seconds. The exit status is 2 when the key is absent.

      Example:
        kvtool set session abc --ttl 1h
        kvtool ttl session
        kvtool ttl session none
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The key.")
  var key: TextArgument

  @Argument(help: "The new lifetime, or none.")
  var lifetime: TextArgument?

  private enum Change {
    case end
    case set(Date)
  }

  private func change() throws -> Change? {
    guard let text = lifetime?.text else { return nil }
    if text.hasSameBytes(as: "none") { return .end }
    guard let lifetime = Lifetime(argument: text) else {
      throw ValidationError("'\(shortened(text))' is neither none nor a lifetime: \(Lifetime.form)")
    }
    return .set(lifetime.end)
  }

  func validate() throws { _ = try change() }

  func run() throws {
    if lifetime == nil {
      let database = try options.openForReading()
      return try database.workspace.fetchWithinASnapshot { try outcome(in: database.dictionary, at: Date()) }.report()
    }
    try options.openForUpdating().run(step())
  }

  func step() throws -> TransactionStep {
    let change = try change()
    let key = key.text
    // A transaction prints the same each time that it runs.
    let now = Date()
    return .keys(options.namespaceName) { dictionary in
      guard let change else { return try outcome(in: dictionary, at: now) }
      guard let value = try dictionary.storedValue(forKey: key) else { return absent(in: dictionary) }
      switch change {
      case .end: dictionary[key] = value
      case .set(let date): dictionary.set(value, forKey: key, expiringAt: date)
      }
      return TransactionStep.Outcome()
    }
  }

  private func outcome(in dictionary: WorkspaceDictionary, at now: Date) throws -> TransactionStep.Outcome {
    guard try dictionary.storedValue(forKey: key.text) != nil else { return absent(in: dictionary) }
    guard let date = try dictionary.expirationDate(forKey: key.text) else { return .line("none") }
    return .line("\(max((date.timeIntervalSince(now) * 1_000).rounded() / 1_000, 0))")
  }

  private func absent(in dictionary: WorkspaceDictionary) -> TransactionStep.Outcome {
    TransactionStep.Outcome(failure: ToolError.keysAbsent([key.text], in: dictionary.namespaceName))
  }
}
