import Testing

/// `web` in a tool that was built without its trait. Tests/EtcdTests has the tests of the page.
@Suite(.timeLimit(.minutes(15))) struct WebTests {
  @Test("Without the trait Web, the command says how to build the page, and is in the help") func withoutTheTrait()
    async throws
  {
    let kvtool = try KVToolRunner()
    try await kvtool("set", "key", "1")
    let outcome = try await kvtool("web")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(
      outcome.error.hasPrefix("kvtool: this kvtool was built without the page")
        && outcome.error.contains("--traits Web"))
    #expect(try await kvtool("--help").output.contains("\n  web "))
    #expect(try await kvtool("web", "--port", "70000").status == 64)
    #expect(try await kvtool("serve").error.contains("did you mean 'web'?"))
  }
}
