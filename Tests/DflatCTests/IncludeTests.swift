import Foundation
import Testing

@Suite(.timeLimit(.minutes(15))) struct IncludeTests {
  static let files = [
    "shared/vec.fbs": "namespace Geo; struct Vec { x: float; }",
    "shared/deep/ray.fbs": "namespace Geo; struct Ray { length: float; }",
    "app/unit.fbs": "include \"vec.fbs\"; namespace App; table Unit { at: Geo.Vec; }",
    "app/name.fbs": "include \"unit.fbs\"; namespace App; table Name { text: string; }",
  ]

  @Test("Each command finds included schemas in the folders of -I") func looksInTheFoldersThatItIsTold() throws {
    let dflatc = try DFlatCRunner(Self.files)
    let lost = try dflatc("app/unit.fbs")
    #expect(lost.status == 1 && lost.error.hasPrefix("app/unit.fbs:1:9: error: "))
    #expect(try dflatc("-I", "shared", "app/unit.fbs").status == 0)
    #expect(try dflatc("-Ishared", "app/unit.fbs").status == 0)
    #expect(try dflatc("print", "-I", "shared", "app/unit.fbs").status == 0)
    #expect(try dflatc("check", "-I", "shared", "app/unit.fbs", "app/unit.fbs").status == 0)
    #expect(try dflatc.text("app/unit.fbs.swift").contains("import Shared") == false)
  }

  @Test("A Swift file imports a module only if it needs its types") func onlyWhatNeedsAModuleImportsIt() throws {
    let dflatc = try DFlatCRunner(Self.files)
    #expect(try dflatc("--module", "Shared=shared", "app/unit.fbs", "app/name.fbs").status == 0)
    #expect(try dflatc.files().filter { $0.hasSuffix(".swift") } == ["app/name.fbs.swift", "app/unit.fbs.swift"])
    #expect(try dflatc.text("app/unit.fbs.swift").contains("public import Shared\n"))
    #expect(try dflatc.text("app/name.fbs.swift").contains("Shared") == false)
  }

  /// The schema that includes one of the module can be anywhere on the command line.
  @Test("A namespace of another module is extended, and not declared again")
  func theModuleOfAnIncludedSchemaDeclaresItsNamespaces() throws {
    let dflatc = try DFlatCRunner(
      Self.files.merging(["app/path.fbs": "namespace Geo; table Path { length: float; }"]) { old, _ in old })
    #expect(try dflatc("--module", "Shared=shared", "app/path.fbs", "app/unit.fbs").status == 0)
    let path = try dflatc.text("app/path.fbs.swift")
    #expect(!path.contains("enum Geo") && path.contains("public import Shared\n"))
    #expect(try dflatc.text("app/unit.fbs.swift").contains("public enum App {}"))
  }

  @Test("The innermost folder that contains an included schema determines its module")
  func theInnermostFolderSaysTheModule() throws {
    var files = Self.files
    files["app/unit.fbs"] = "include \"deep/ray.fbs\"; namespace App; table Unit { ray: Geo.Ray; }"
    let dflatc = try DFlatCRunner(files)
    let modules = ["--module", "Shared=shared", "--module", "Deep=shared/deep"]
    #expect(try dflatc(modules + ["app/unit.fbs"]).status == 0)
    let text = try dflatc.text("app/unit.fbs.swift")
    #expect(text.contains("public import Deep\n") && !text.contains("Shared"))
  }

  @Test("A schema in a module's folder belongs to the module, even if it is a symbolic link")
  func linksInTheFolderOfAModule() throws {
    let dflatc = try DFlatCRunner([
      "shared/deep/ray.fbs": "namespace Geo; struct Ray { length: float; }",
      "elsewhere/vec.fbs": "namespace Geo; struct Vec { x: float; }",
      "elsewhere/lines/line.fbs": "namespace Geo; struct Line { length: float; }",
      "app/unit.fbs": "include \"vec.fbs\"; table Unit { at: Geo.Vec; }",
      "app/path.fbs": "include \"line.fbs\"; table Path { first: Geo.Line; }",
      "app/beam.fbs": "include \"link/ray.fbs\"; table Beam { ray: Geo.Ray; }",
    ])
    #expect(symlink("../elsewhere/vec.fbs", dflatc.path("shared/vec.fbs")) == 0)
    #expect(symlink("../elsewhere/lines", dflatc.path("shared/lines")) == 0)
    // Links from elsewhere lead into the folder.
    #expect(symlink("../shared/deep", dflatc.path("app/link")) == 0)
    let modules = ["--module", "Shared=shared", "--module", "Shared=shared/lines"]
    let outcome = try dflatc(modules + ["app/unit.fbs", "app/path.fbs", "app/beam.fbs"])
    #expect(outcome.status == 0, "\(outcome.error)")
    for name in ["unit", "path", "beam"] {
      #expect(try dflatc.text("app/\(name).fbs.swift").contains("public import Shared\n"), "\(name)")
    }
  }

  @Test("The module of --import is imported for types that belong to no other module")
  func anImportForWhatIsInNoModule() throws {
    let dflatc = try DFlatCRunner(Self.files)
    #expect(try dflatc("-I", "shared", "--import", "Other", "app/unit.fbs", "app/name.fbs").status == 0)
    #expect(try dflatc.text("app/unit.fbs.swift").contains("public import Other\n"))
    #expect(try dflatc.text("app/name.fbs.swift").contains("Other") == false)
  }
}
