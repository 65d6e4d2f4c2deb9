import Testing

@Suite(.timeLimit(.minutes(2))) struct CommandTests {
  @Test func helpHasExamples() throws {
    let dflatc = try DFlatCRunner()
    for arguments in [["--help"], ["compile", "--help"]] {
      let outcome = try dflatc(arguments)
      #expect(outcome.status == 0 && outcome.output.contains("Example:\n") && outcome.output.contains("dflatc "))
    }
    #expect(try dflatc("--version").output == "0.1.0\n")
  }
}
