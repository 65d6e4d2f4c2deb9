import ArgumentParser
import DflatKV

struct IncrCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "incr",
    abstract: "Add to a number, atomically, and print the new value.",
    discussion: """
      The key must hold an int, a uint, a float or a double, and keeps its type; but an int or a uint and a fraction make a \
      double. An absent key counts as 0, with the type of BY. An overflow is an error and changes nothing. A key that expires \
      still does so at the same time.

      Example:
        kvtool incr launches
        kvtool incr balance -2.5
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var creation: CreationOptions

  @Argument(help: "The key.")
  var key: TextArgument

  @Argument(help: "The number to add (default: 1).")
  var by: TextArgument?

  func run() throws {
    let step = try step()
    try options.openForWriting(creation).run(step)
  }

  func step() throws -> TransactionStep {
    let key = key.text
    let increment = try ValueFailure.naming(key) { () throws(ValueFailure) in try Increment(by?.text ?? "1") }
    return .keys(options.namespaceName) { dictionary in
      let current = try dictionary.storedValue(forKey: key)
      do { try dictionary.requireSameSeal(for: current) } catch let failure as ValueFailure {
        throw failure.toolError(key: key)
      }
      let (sum, text) = try ValueFailure.naming(key) { () throws(ValueFailure) in
        let sum = try increment.added(to: current)
        return (sum, try sum.rawText())
      }
      dictionary.set(sum, forKey: key, expiringAt: try dictionary.expirationDate(forKey: key))
      return .line(text)
    }
  }
}
