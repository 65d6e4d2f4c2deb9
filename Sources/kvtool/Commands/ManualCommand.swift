import ArgumentParser

/// Prints the manual page that `make install` installs next to the tool.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate-manual",
    abstract: "Print the manual page in man(7) format.",
    shouldDisplay: false)

  func run() throws {
    try StandardOutput.write(Array(ManualPage.text().utf8))
  }
}
