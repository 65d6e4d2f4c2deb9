import ArgumentParser
import DflatKV

struct SealCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal",
    abstract: "Encrypt all values of a namespace, or change the key of a sealed one.",
    discussion: """
      The values are encrypted in one transaction, and their number is printed. As long as the namespace has one of them, \
      commands need its key to read values and to add others; anyone may delete them. A namespace without values, as in a \
      new file, has nothing to seal: its first value seals it, if 'kvtool set' gets the key. Make a key with \
      'openssl rand -hex 32'; without it, the values are lost. The key comes from --seal-key-fd or $KVTOOL_SEAL_KEY. If the namespace is sealed already, its present key comes from --old-seal-key-fd or \
      $KVTOOL_OLD_SEAL_KEY. Values that have the key already stay as they are. Names of keys and the sizes of values stay \
      visible. Copies of the old bytes may stay in the write-ahead log, in free pages ('kvtool compact' removes those), \
      in the change log and in backups. A kvtool that was built without the trait Sealing can't seal.

      Example:
        kvtool seal --namespace secrets --seal-key-fd 3 3< key
        kvtool seal -n secrets --seal-key-fd 3 --old-seal-key-fd 4 3< new 4< key
        kvtool set token abc -n secrets --seal-key-fd 3 3< key
      """)

  @OptionGroup var options: GlobalOptions

  @Option(
    name: .customLong("old-seal-key-fd"),
    help: ArgumentHelp(
      "Read the present key of a sealed namespace from this descriptor (else $KVTOOL_OLD_SEAL_KEY).",
      valueName: "number"))
  var oldSealKeyDescriptor: DescriptorArgument?

  func run() throws {
    try ToolSealKey.requireBuiltIn()
    guard options.chosenNamespace != nil else {
      throw ToolError(.usage, "seal needs a namespace: name it with --namespace, the root as ''")
    }
    let old = try ToolSealKey.read(
      oldSealKeyDescriptor, named: "--old-seal-key-fd", else: ToolSealKey.oldVariable)
    guard let key = try options.sealKey() else {
      throw ToolError(.usage, "seal needs a key: give it with --seal-key-fd or \(ToolSealKey.variable)")
    }
    let database = try options.openForUpdating()
    let dictionary = database.workspace.dictionary.namespace(database.namespace)
    // With an old key, there may be replaced values.
    guard try old != nil || !dictionary.readKeys(withPrefix: "").isEmpty else {
      throw ToolError(
        .otherError,
        "the namespace has no values to seal: set the first one with the key, and it is sealed from then on")
    }
    let count: Int
    do { count = try key.sealValues(of: dictionary, from: old) } catch let error as WorkspaceError
      where error.code == .wrongSealKey
    {
      let isWrong = old == nil ? "sealed with another key" : "sealed with neither of the two keys"
      throw ToolError(
        .otherError,
        "the namespace is \(isWrong): give its present key with --old-seal-key-fd or \(ToolSealKey.oldVariable)")
    }
    database.workspace.shutdown()
    try StandardOutput.write(line: String(count))
  }
}
