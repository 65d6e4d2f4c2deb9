import ArgumentParser

@main
struct DFlatC: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dflatc", abstract: "Compile FlatBuffers schemas to Swift.")
}
