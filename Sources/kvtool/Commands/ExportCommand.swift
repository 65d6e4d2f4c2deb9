import ArgumentParser
import DflatKV

/// The formats of an export.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case json
  case plist
}

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print the whole namespace, with each value's type, for 'kvtool import'.",
    discussion: """
      The export has the state of one commit. In JSON, property lists are arrays and objects, as in 'kvtool get'; data \
      and FlatBuffers are encoded as base64. Other namespaces, replaced values and stored objects are not part of it: a \
      line on standard error names what is left out. 'kvtool backup' copies everything. Sealed values are exported as \
      envelopes, which 'kvtool import' writes back to the same keys, unless their key is given: then as they are, \
      unprotected.

      Example:
        kvtool export > settings.json
        kvtool export --all-namespaces --format plist > all.plist
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "All namespaces, not just one.")
  var allNamespaces = false

  @Option(help: "The format: json or plist.")
  var format = ExportFormat.json

  func validate() throws {
    if allNamespaces, options.namespace != nil {
      throw ValidationError("--all-namespaces and --namespace exclude each other")
    }
  }

  func run() throws {
    let database = try options.openForReading()
    let (sections, remainder) = try database.workspace.fetchWithinASnapshot {
      let names = try database.workspace.dictionary.namespaces()
      let chosen = allNamespaces ? names : [options.namespaceName]
      return (try content(of: chosen, in: database), ExportRemainder(of: database, exporting: chosen, of: names))
    }
    switch format {
    case .json:
      try ExportDocument.writeJSON(sections) { try StandardOutput.write(Array($0.utf8)) }
    case .plist:
      try StandardOutput.write(Array(try propertyList(sections).utf8))
    }
    if let message = remainder.message {
      StandardError.write(message: message)
    }
  }

  private func propertyList(_ sections: [ExportDocument.Section]) throws -> String {
    do throws(PropertyListFailure) {
      return try ExportDocument.propertyList(sections)
    } catch {
      throw ToolError(.otherError, "\(try options.path()) cannot be exported as a property list: \(error.message)")
    }
  }

  private func content(of names: [String], in database: OpenDatabase) throws -> [ExportDocument.Section] {
    try names.map { name in
      let entries = try database.entries(of: name)
      return ExportDocument.Section(namespace: name, entries: entries)
    }
  }
}
