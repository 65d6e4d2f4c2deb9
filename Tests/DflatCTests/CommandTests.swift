import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct CommandTests {
  @Test("The check command prints nothing if the new schema is compatible") func checkIsSilentWhereAllIsWell() throws {
    let dflatc = try DFlatCRunner(["old.fbs": "table A { a: int; }", "new.fbs": "table A { b: int; c: string; }"])
    let outcome = try dflatc("check", "old.fbs", "new.fbs")
    #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.error.isEmpty)
    #expect(try dflatc.files() == ["new.fbs", "old.fbs"])
  }

  @Test("The check command reports an incompatible change at its line") func checkGivesTheReasonAtTheLine() throws {
    let dflatc = try DFlatCRunner([
      "old.fbs": "table A { a: int; b: int; }", "new.fbs": "table A {\n  a: int;\n  b: string;\n}",
    ])
    let outcome = try dflatc("check", "old.fbs", "new.fbs")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.error.hasPrefix("new.fbs:3:3: error: "))
  }

  @Test("The print command prints the schema as JSON") func printGivesJSON() throws {
    let dflatc = try DFlatCRunner(["post.fbs": CompileTests.post])
    let outcome = try dflatc("print", "post.fbs")
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    #expect(object is [String: Any] && outcome.output.contains("\"title\""))
  }

  @Test("The help of each command contains an example") func helpHasExamples() throws {
    let dflatc = try DFlatCRunner()
    for arguments in [["--help"], ["compile", "--help"], ["check", "--help"], ["print", "--help"]] {
      let outcome = try dflatc(arguments)
      #expect(outcome.status == 0 && outcome.output.contains("Example:\n") && outcome.output.contains("dflatc "))
    }
  }

  @Test("The printed version is the newest release of the changelog") func version() throws {
    #expect(try DFlatCRunner()("--version").output == Changelog.newestRelease().map { $0 + "\n" })
  }
}
