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
      The export has the state of one commit. Data, property lists and FlatBuffers are encoded as base64, so that nothing \
      is lost.

      Example:
        kvtool export > settings.json
        kvtool export --all-namespaces --format plist > all.plist
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "All namespaces, not just one.")
  var allNamespaces = false

  @Option(help: "The format: json or plist.")
  var format = ExportFormat.json

  func run() throws {
    let sections = try sections()
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

  private func sections() throws -> [ExportDocument.Section] {
    guard let database = try options.openForReading() else {
      return allNamespaces ? [] : [ExportDocument.Section(namespace: options.namespaceName, entries: [])]
    }
    let dictionary = database.workspace.dictionary
    return try database.workspace.fetchWithinASnapshot {
      let names = allNamespaces ? try dictionary.namespaces() : [options.namespaceName]
      return try names.map { name in
        ExportDocument.Section(namespace: name, entries: try dictionary.namespace(name).entries())
      }
    }
  }
}
