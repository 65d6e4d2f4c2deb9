import Testing

/// `seal` in a tool that was built without its trait. Tests/EtcdTests has the tests of keys.
@Suite(.timeLimit(.minutes(15))) struct SealTests {
  @Test("Without the trait Sealing, commands with keys say how to build the tool, before they ask for anything else")
  func withoutTheTrait() async throws {
    let kvtool = try KVToolRunner()
    try await kvtool("set", "key", "1")
    let withKey = ["KVTOOL_SEAL_KEY": String(repeating: "0a", count: 32)]
    for (command, environment) in [(["seal"], [:]), (["seal", "-n", "x"], [:]), (["get", "key"], withKey)] {
      let outcome = try await kvtool.run(command, environment: environment)
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.error.hasPrefix("kvtool: this kvtool was built without sealing"), "\(outcome)")
      #expect(outcome.error.contains("--traits Sealing"))
    }
    for command in ["seal", "get"] {
      #expect(try await kvtool(command, "--help").output.contains("Sealing"))
    }
  }
}
