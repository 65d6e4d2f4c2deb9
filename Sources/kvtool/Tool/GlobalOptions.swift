import ArgumentParser
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options of commands about keys or objects.
struct GlobalOptions: ParsableArguments, DatabaseOptions {
  @OptionGroup var file: ToolFileOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The namespace of the keys (else $KVTOOL_NAMESPACE, else the root).", valueName: "name"))
  var namespace: TextArgument?

  @Option(
    name: .customLong("seal-key-fd"),
    help: ArgumentHelp(
      "Read the key of a sealed namespace, or of one that is to be, from this descriptor (else $KVTOOL_SEAL_KEY): 32 bytes in hex or base64. Needs a kvtool that was built with the trait Sealing.",
      valueName: "number"))
  var sealKeyDescriptor: DescriptorArgument?

  var db: TextArgument? { file.db }
  var timeout: SecondsArgument { file.timeout }

  /// The namespace given by the option or the environment; nil if neither names one.
  var chosenNamespace: String? {
    namespace?.text ?? ProcessInfo.processInfo.environment["KVTOOL_NAMESPACE"]
  }

  var namespaceName: String {
    chosenNamespace ?? ""
  }

  /// Returns the key given by the option or the environment; nil if neither gives one.
  func sealKey() throws -> ToolSealKey? {
    try ToolSealKey.read(sealKeyDescriptor, named: "--seal-key-fd", else: ToolSealKey.variable)
  }

  func validate() throws {
    guard DatabaseLocation.isUTF8(variable: "KVTOOL_NAMESPACE") else {
      throw ValidationError("the environment variable KVTOOL_NAMESPACE is not UTF-8")
    }
  }

  /// Throws if the option names a namespace that the command would ignore. The environment's is for other commands.
  func refuseNamespace(because reason: String) throws {
    guard namespace == nil else { throw ValidationError("\(reason): leave out --namespace") }
  }
}

/// The option of the commands that create a missing file.
struct CreationOptions: ParsableArguments {
  @Flag(name: .customLong("create"), help: "Create the folder of the file, and those above it, if they are missing.")
  var createsFolder = false
}

extension SecondsArgument {
  static let defaultTimeout = SecondsArgument(seconds: 5)

  init(seconds: Double) {
    self.seconds = seconds
  }

  var defaultValueDescription: String {
    seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }
}
