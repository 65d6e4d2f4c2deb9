import ArgumentParser
import DflatSupport

/// The tool as completion scripts know it: with the options that may precede the command. In a command line,
/// ``CommandLineArguments`` moves them behind the command before ArgumentParser parses it.
struct CompletedTool: ParsableCommand {
  static let configuration = KVTool.configuration

  @OptionGroup var options: GlobalOptions

  /// Returns true for a command line that asks for a completion script.
  static func isRequested(by arguments: [String]) -> Bool {
    CommandLineArguments.names(in: arguments).contains { $0.hasSameBytes(as: "--generate-completion-script") }
  }
}
