import Testing

@Suite(.timeLimit(.minutes(15))) struct FailureTests {
  @Test("No file is written if any schema has an error") func anErrorAnywhereWritesNothing() throws {
    let dflatc = try DFlatCRunner([
      "good.fbs": "table Good {}", "bad.fbs": "table Bad {\n  a: itn;\n  b: sting;\n}\n", "bad.fbs.swift": "as it was",
    ])
    let outcome = try dflatc("good.fbs", "bad.fbs")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    let lines = outcome.error.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("bad.fbs:2:6: error: ") == true && lines.first?.contains("itn") == true)
    #expect(lines.last?.hasPrefix("bad.fbs:3:6: error: ") == true && lines.last?.contains("sting") == true)
    #expect(try dflatc.files() == ["bad.fbs", "bad.fbs.swift", "good.fbs"])
    #expect(try dflatc.text("bad.fbs.swift") == "as it was")
  }

  @Test("No file is written if one of them can't be written") func aFileThatCannotBeWrittenLeavesNoneWritten() throws {
    let dflatc = try DFlatCRunner(["a.fbs": "table A {}", "in/b.fbs": "table B {}", "in/b.fbs.swift/taken": ""])
    let outcome = try dflatc("a.fbs", "in/b.fbs")
    #expect(outcome.status == 1)
    #expect(outcome.error.hasPrefix("\(dflatc.path("in/b.fbs.swift")):1:1: error: this file can't be written: "))
    #expect(try dflatc.files() == ["a.fbs", "in/b.fbs", "in/b.fbs.swift/taken"])
  }

  @Test("An output folder that is a file is an error") func anOutputFolderThatIsAFile() throws {
    let dflatc = try DFlatCRunner(["a.fbs": "table A {}"])
    let outcome = try dflatc("-o", "a.fbs", "a.fbs")
    #expect(outcome.status == 1 && outcome.error.contains("a.fbs/a.fbs.swift:1:1: error: this file can't be written: "))
    #expect(try dflatc.files() == ["a.fbs"])
  }

  @Test("Two schemas are refused if their Swift files would have one name nevertheless")
  func twoSwiftFilesOfOneName() throws {
    let dflatc = try DFlatCRunner(["a.fbs": "table A {}", "in/a.fbs": "table B {}", "x/IN-a.fbs": "table C {}"])
    let outcome = try dflatc("-o", "out", "a.fbs", "in/a.fbs", "x/IN-a.fbs")
    #expect(outcome.status == 1)
    #expect(outcome.error.hasPrefix("x/IN-a.fbs:1:1: error: its Swift file would be the same as that of in/a.fbs"))
    #expect(try dflatc.files() == ["a.fbs", "in/a.fbs", "x/IN-a.fbs"])
  }

  @Test("Each command reports a schema that doesn't exist") func aSchemaThatIsNotThere() throws {
    let dflatc = try DFlatCRunner()
    for arguments in [["absent.fbs"], ["print", "absent.fbs"], ["check", "absent.fbs", "absent.fbs"]] {
      let outcome = try dflatc(arguments)
      #expect(outcome.status == 1 && outcome.error.hasPrefix("absent.fbs:1:1: error: "))
    }
  }

  @Test(
    "An invalid options file is refused with an error that names the valid option",
    arguments: [
      #"{"declareNamespaces": false"#, "[]", #"{"declareNamespaces": "no"}"#, #"{"declareNamespace": false}"#,
    ])
  func anOptionsFileThatIsWrong(_ text: String) throws {
    let dflatc = try DFlatCRunner(["a.fbs": "table A {}", "dflatc.json": text])
    let outcome = try dflatc("--options", "dflatc.json", "a.fbs")
    #expect(outcome.status == 1 && outcome.error.hasPrefix("dflatc.json:1:1: error: "))
    #expect(outcome.error.contains("declareNamespaces"))
    #expect(try dflatc.files() == ["a.fbs", "dflatc.json"])
  }

  @Test(
    "Wrong arguments are a usage error and write nothing",
    arguments: [
      [], ["-o"], ["--absent", "a.fbs"], ["--module", "Shared", "a.fbs"], ["check", "a.fbs"], ["print"],
      ["print", "a.fbs", "b.fbs"],
    ])
  func usage(_ arguments: [String]) throws {
    let dflatc = try DFlatCRunner(["a.fbs": "table A {}"])
    let outcome = try dflatc(arguments)
    #expect(outcome.status == 64 && outcome.output.isEmpty && !outcome.error.isEmpty)
    #expect(try dflatc.files() == ["a.fbs"])
  }

  @Test("Arguments that are not UTF-8 are a usage error and write nothing")
  func argumentsThatAreNoText() throws {
    let dflatc = try DFlatCRunner(["a.fbs": "table A {}"])
    let outcome = try dflatc.shell(#"exec "$0" -o "$(printf 'out\377')" a.fbs"#)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.error.contains("Argument 2 is not UTF-8."), "\(outcome.error)")
    #expect(try dflatc.files() == ["a.fbs"])
  }
}
