import ArgumentParser
import DflatKV

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Write a value, and return when it is committed.",
    discussion: """
      VALUE '-' or none reads standard input, of which one newline at the end is left out, except of data. Without a \
      type an existing key keeps its own, and a new key is a string. json and plist store arrays and objects as \
      property lists, and anything else as its own type. A VALUE that begins with '-' and is no number goes after '--'.

      Example:
        kvtool set volume 0.8 --double
        echo '{"theme": "dark"}' | kvtool set settings --type json
        kvtool set volume 0.9 --if-value 0.8
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The key.")
  var key: TextArgument

  @Argument(help: "The value; '-' or none reads standard input.")
  var value: TextArgument?

  @OptionGroup var typeOptions: TypeOptions

  @Flag(help: "Write only if the key is absent, else exit with 3.")
  var ifAbsent = false

  @Option(help: ArgumentHelp("Write only if the key has this value, else exit with 3.", valueName: "old"))
  var ifValue: TextArgument?

  func validate() throws {
    if ifAbsent && ifValue != nil {
      throw ValidationError("--if-absent and --if-value exclude each other")
    }
  }

  func run() throws {
    let key = key.text
    let newText = try ValueText.read(value)
    do {
      let typedValue: StoredValue? =
        if let type = typeOptions.chosen { try newText.value(as: type) } else { nil }
      try write(key, typedValue: typedValue, text: newText)
    } catch let failure as ValueFailure {
      throw failure.toolError(key: key)
    }
  }

  private func write(_ key: String, typedValue: StoredValue?, text: ValueText) throws {
    guard let database = try ifValue == nil ? options.openForWriting() : options.openForUpdating() else {
      throw conditionNotMet(key, "is absent")
    }
    try database.transact { dictionary in
      let current = try dictionary.storedValue(forKey: key)
      try checkCondition(key, current)
      dictionary[key] =
        if let typedValue { typedValue } else {
          if let current { try text.value(keeping: current.kind) } else { try text.value(as: .string) }
        }
    }
    database.workspace.shutdown()
  }

  private func checkCondition(_ key: String, _ current: StoredValue?) throws {
    if ifAbsent && current != nil {
      throw conditionNotMet(key, "is there already")
    }
    guard let expected = ifValue?.text else {
      return
    }
    guard let current else {
      throw conditionNotMet(key, "is absent")
    }
    // A text that is no value of the current type cannot be equal to the current value.
    let expectedValue = try? ValueText(expected).value(keeping: current.kind)
    guard let expectedValue, expectedValue.isSame(as: current) else {
      throw conditionNotMet(key, "has another value than \(quoted(expected))")
    }
  }

  private func conditionNotMet(_ key: String, _ what: String) -> ToolError {
    ToolError(.conditionNotMet, "key \(quoted(key)) \(what): nothing was written")
  }
}
