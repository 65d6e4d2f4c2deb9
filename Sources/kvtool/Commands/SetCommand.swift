import ArgumentParser
import DflatKV

struct SetCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Write a value, and return when it is committed.",
    discussion: """
      If VALUE is '-' or missing, the value is read from standard input; one newline at its end is left out, except for \
      data. Without a type, an existing key keeps its type, and a new key is a string. A property list that is an array of \
      one string takes a bare word as its string. json and plist store arrays and \
      objects as property lists, and anything else as its own type. A VALUE that begins with '-' and is not a number goes \
      after '--'.

      With --schema, VALUE is the JSON of a FlatBuffers value in flatc's form: fields and enum values by their names in \
      the schema, bit flags as "A B", a union as FIELD_type and FIELD, structs and tables as objects. The attribute v of \
      the type in the schema is stored with the value.

      With --ttl, the key expires after a lifetime such as 90s, 1h30m or 2d. Without it, the key does not expire, even if \
      it did before.

      Example:
        kvtool set volume 0.8 --double
        echo '{"theme": "dark"}' | kvtool set settings --type json
        kvtool set volume 0.9 --if-value 0.8
        kvtool set session abc --ttl 1h
        kvtool set draft '{"title": "Hello", "priority": "High"}' --schema post.fbs
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var creation: CreationOptions

  @Argument(help: "The key.")
  var key: TextArgument

  @Argument(help: "The value; standard input if it is '-' or missing.")
  var value: TextArgument?

  @OptionGroup var typeOptions: TypeOptions

  @Flag(help: "Write only if the key is absent; otherwise exit with status 3.")
  var ifAbsent = false

  @Option(help: ArgumentHelp("Write only if the key has this value; otherwise exit with status 3.", valueName: "old"))
  var ifValue: TextArgument?

  @Option(
    help: ArgumentHelp(
      "The lifetime of the value: a number with a unit (ms, s, m, h, d, w), or in seconds.", valueName: "lifetime"))
  var ttl: Lifetime?

  @OptionGroup var schemaOptions: SchemaOptions

  func validate() throws {
    if schemaOptions.schema != nil, let type = typeOptions.chosen {
      throw ValidationError("--schema and --type \(type.rawValue) cannot be combined")
    }
    if ifAbsent && ifValue != nil {
      throw ValidationError("--if-absent and --if-value cannot be combined")
    }
  }

  func run() throws {
    let step = try step()
    guard let database = try ifValue == nil ? options.openForWriting(creation) : options.openIfPresent() else {
      throw conditionNotMet(key.text, "is absent")
    }
    try database.run(step)
  }

  func step() throws -> TransactionStep {
    let key = key.text
    let schema = try schemaOptions.load()
    let text = try ValueText.read(value, ofKey: key)
    let typedValue = try ValueFailure.naming(key) { () throws(ValueFailure) -> StoredValue? in
      if let schema { return try schema.value(text) }
      return if let type = typeOptions.chosen { try text.value(as: type) } else { nil }
    }
    let expirationDate = ttl?.end
    return .keys(options.namespaceName) { dictionary in
      let current = try dictionary.storedValue(forKey: key)
      try checkCondition(key, current, schema)
      do { try dictionary.requireSameSeal(for: current) } catch let failure as ValueFailure {
        throw failure.toolError(key: key)
      }
      let value = try ValueFailure.naming(key) { () throws(ValueFailure) in
        if let typedValue { return typedValue }
        return if let current { try text.value(replacing: current) } else { try text.value(as: .string) }
      }
      dictionary.set(value, forKey: key, expiringAt: expirationDate)
      return TransactionStep.Outcome()
    }
  }

  private func checkCondition(_ key: String, _ current: StoredValue?, _ schema: SchemaType?) throws {
    if ifAbsent && current != nil {
      throw conditionNotMet(key, "already exists")
    }
    guard let expected = ifValue?.text else {
      return
    }
    guard let current else {
      throw conditionNotMet(key, "is absent")
    }
    if current.kind == .sealed { throw ValueFailure.sealed.toolError(key: key) }
    guard isSame(ValueText(expected), current, schema) else {
      throw conditionNotMet(key, "has a different value than \(quoted(shortened(expected)))")
    }
  }

  /// Returns true if the text denotes the current value. A text that can't be read as the value's type denotes another
  /// one.
  private func isSame(_ text: ValueText, _ current: StoredValue, _ schema: SchemaType?) -> Bool {
    if let schema, case .flatBuffers = current {
      // Compare the JSON, because writers may lay out the same value in several ways.
      guard let expected = try? schema.json(schema.value(text)), let json = try? schema.json(current) else {
        return false
      }
      return expected == json
    }
    return (try? text.value(replacing: current))?.isSame(as: current) ?? false
  }

  private func conditionNotMet(_ key: String, _ what: String) -> ToolError {
    ToolError(.conditionNotMet, "key \(quoted(key)) \(what): nothing was written")
  }
}
