import DflatCore
import Foundation
import Testing

/// flatc 2.0.8 makes no binary from a schema with string defaults ("Default values for strings and vectors are not
/// supported in one of the specified programming languages"), so the tests compare with Python only.
@Suite struct StringDefaultTests {
  @Test("Dflat and Python agree on string defaults") func pythonAgrees() async throws {
    let greetings: [String: (StringDefaults.Greeting, String)] = [
      "absent": (StringDefaults.Greeting(), "{}"),
      "default": (
        StringDefaults.Greeting(salutation: "Dear \"all\",", closing: ""),
        #"{ "salutation": "Dear \"all\",", "closing": "" }"#
      ),
      "other": (
        StringDefaults.Greeting(salutation: "", name: "Ann", closing: "Yours"),
        #"{ "salutation": "", "name": "Ann", "closing": "Yours" }"#
      ),
    ]
    let work = try Work(greetings.keys.sorted())
    for (name, (value, json)) in greetings {
      try Data(json.utf8).write(to: work.file(.json, name))
      try value.toData().write(to: work.file(.ours, name))
    }
    try await Python.run(
      schema: Tool.schemas + "/string_defaults.fbs", work: work, root: "StringDefaults.Greeting", identifier: nil)
    for (name, (value, _)) in greetings {
      #expect(try StringDefaults.Greeting(data: Data(contentsOf: work.file(.python, name))) == value, "\(name)")
    }
  }

  @Test("The flatc compiler refuses a schema with string defaults") func flatcRefusesTheSchema() async throws {
    let outcome = try await Tool.flatc(["--binary", "--schema", Tool.schemas + "/string_defaults.fbs"])
    #expect(outcome.status != 0)
    #expect(outcome.text.contains("Default values for strings and vectors are not supported"), "\(outcome.text)")
  }
}
