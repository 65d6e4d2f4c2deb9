import ArgumentParser
import DflatKV
import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Write the keys of an export, in one transaction.",
    discussion: """
      FILE is the output of 'kvtool export' in either format; '-' is standard input. Keys that it does not contain stay \
      unchanged. Keys are written to the namespaces that they came from; an export of a single namespace can be written \
      to another one with --namespace. With --from-plist, FILE is a property list of UserDefaults or 'defaults export', \
      binary or XML.

      Example:
        kvtool import settings.json
        defaults export com.example.app - | kvtool import --from-plist -
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var creation: CreationOptions

  @Argument(help: "The file; '-' is standard input.", completion: .file())
  var file: TextArgument

  @Flag(help: "Import a property list, with a key for each key of its root.")
  var fromPlist = false

  func run() throws {
    let all = try readItems()
    let database = try options.openForWriting(creation)
    // A value that has expired is none, and doesn't replace one.
    let now = Date()
    let items = all.filter { item in item.expirationDate.map { $0 > now } ?? true }
    let progress = ImportProgress(total: items.count, isShown: StandardError.isTerminal)
    do { try write(items, to: database, progress) } catch {
      progress.clear()
      throw error
    }
    database.workspace.shutdown()
    progress.finish()
    if items.count < all.count {
      StandardError.write(message: "\(all.count - items.count) of \(all.count) values have expired, and were left out.")
    }
  }

  private func write(_ items: [ExportDocument.Item], to database: OpenDatabase, _ progress: ImportProgress) throws {
    try database.workspace.transactAndWait([]) { transaction in
      try requireSameSeal(for: items, in: database, transaction)
      var dictionaries: [ByteComparedString: WorkspaceDictionary] = [:]
      for (index, item) in items.enumerated() {
        let name = ByteComparedString(item.namespace)
        // Envelopes are written as they are.
        let isOpened = item.value.kind != .sealed
        let known = isOpened ? dictionaries[name] : nil
        let dictionary =
          known ?? database.dictionary(item.namespace, of: transaction.dictionary, opening: isOpened)
        if isOpened { dictionaries[name] = dictionary }
        dictionary.set(item.value, forKey: item.key, expiringAt: item.expirationDate)
        progress.show(index + 1)
      }
    }
  }

  /// Throws if sealed values would come beside present ones that aren't, or that have another key, or the other way
  /// round. A document that mixes them is restored as it is where there are none.
  private func requireSameSeal(
    for items: [ExportDocument.Item], in database: OpenDatabase, _ transaction: TransactionContext
  ) throws {
    var checked: Set<Seal> = []
    for item in items where checked.insert(Seal(item)).inserted {
      let dictionary = database.dictionary(item.namespace, of: transaction.dictionary)
      do {
        if item.value.kind == .sealed {
          try dictionary.requireSameSeal(ofEnvelope: item.value)
        } else {
          try dictionary.requireSameSeal(for: nil)
        }
      } catch let failure as ValueFailure {
        throw failure.toolError(key: item.key)
      }
    }
  }

  private func readItems() throws -> [ExportDocument.Item] {
    let bytes = try InputFile.read(file.text, for: "the document to import")
    let items: [ExportDocument.Item]
    do throws(ValueFailure) {
      // Defaults have only keys; an export has namespaces, too.
      if fromPlist {
        items = try ExportDocument.readDefaults(bytes, namespace: options.namespaceName)
      } else {
        items = try ExportDocument.read(bytes)
      }
    } catch {
      throw ToolError(.otherError, "cannot import \(file.text): \(error.message)")
    }
    // A namespace that the user names replaces the only one of the document.
    guard let namespace = options.chosenNamespace else {
      return items
    }
    guard Set(items.map { ByteComparedString($0.namespace) }).count <= 1 else {
      throw ToolError(
        .otherError,
        "cannot import \(file.text): it has several namespaces, so leave out --namespace and KVTOOL_NAMESPACE")
    }
    if let sealed = items.first(where: { $0.value.kind == .sealed && !$0.namespace.hasSameBytes(as: namespace) }) {
      throw ToolError(
        .otherError,
        "key \(quoted(sealed.key)) is sealed, and bound to namespace \(quoted(sealed.namespace)): leave out --namespace, "
          + "or export it with its key")
    }
    return items.map { $0.moved(to: namespace) }
  }
}

/// The seal of an item, which decides whether it may be beside the values of its namespace.
private struct Seal: Hashable {
  let namespace: ByteComparedString
  let isSealed: Bool
  /// The identifier of an envelope's key.
  let key: UInt64?

  init(_ item: ExportDocument.Item) {
    namespace = ByteComparedString(item.namespace)
    isSealed = item.value.kind == .sealed
    key = item.value.sealKeyIdentifier
  }
}

/// Shows the progress of an import on one line of the terminal.
private struct ImportProgress {
  private static let interval = 4096

  let total: Int
  let isShown: Bool

  func show(_ done: Int) {
    if isShown && (done % Self.interval == 0 || done == total) {
      StandardError.write(text: "\rimporting \(done) of \(total) keys")
    }
  }

  /// Makes room for an error.
  func clear() {
    if isShown { StandardError.write(text: "\r\u{1B}[K") }
  }

  func finish() {
    if isShown {
      StandardError.write(text: "\rimported \(total) keys\u{1B}[K\n")
    }
  }
}
