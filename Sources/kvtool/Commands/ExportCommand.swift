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
      unprotected; with --all-namespaces, namespaces of other keys stay envelopes. Values that can't be read are left out \
      and named on standard error, and the exit status is then 5.

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
    let (content, remainder) = try database.workspace.fetchWithinASnapshot {
      let names = try database.workspace.dictionary.namespaces()
      let chosen = allNamespaces ? names : [options.namespaceName]
      var content = ExportContent()
      for name in chosen { try content.add(name, of: database, keepingEnvelopes: allNamespaces) }
      return (content, ExportRemainder(of: database, exporting: chosen, of: names))
    }
    let printing = Result { try write(content.sections) }
    if content.failure == nil { try printing.get() }
    if let message = remainder.message {
      StandardError.write(message: message)
    }
    for name in content.namespacesOfOtherKeys {
      StandardError.write(
        message:
          "namespace \(quoted(name)) is sealed with another key: the export has its envelopes, which need that key")
    }
    for message in content.unreadable { StandardError.write(message: message) }
    guard let failure = content.failure else { return }
    if case .failure(let error as ToolError) = printing { StandardError.write(message: error.message) }
    throw failure
  }

  private func write(_ sections: [ExportDocument.Section]) throws {
    switch format {
    case .json:
      try ExportDocument.writeJSON(sections) { try StandardOutput.write(Array($0.utf8)) }
    case .plist:
      try StandardOutput.write(Array(try propertyList(sections).utf8))
    }
  }

  private func propertyList(_ sections: [ExportDocument.Section]) throws -> String {
    do throws(PropertyListFailure) {
      return try ExportDocument.propertyList(sections)
    } catch {
      throw ToolError(.otherError, "\(try options.path()) cannot be exported as a property list: \(error.message)")
    }
  }
}
