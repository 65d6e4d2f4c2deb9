import ArgumentParser
import DflatKV

struct IncrCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "incr",
    abstract: "Add to a number, atomically, and print the new value.",
    discussion: """
      The key must hold an int, a uint, a float or a double, and keeps its type; but an int or a uint and a fraction make a \
      double. An absent key counts as 0, with the type of BY. An overflow is an error and changes nothing.

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
    let key = key.text
    do {
      let increment = try Increment(by?.text ?? "1")
      let database = try options.openForWriting(creation)
      let sum = try database.transact { dictionary in
        let sum = try increment.added(to: try dictionary.storedValue(forKey: key))
        dictionary[key] = sum
        return sum
      }
      database.workspace.shutdown()
      try StandardOutput.write(line: try sum.rawText())
    } catch let failure as ValueFailure {
      throw failure.toolError(key: key)
    }
  }
}
