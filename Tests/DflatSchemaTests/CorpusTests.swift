import DflatSchema
import Foundation
import Testing

/// Malformed schemas and pairs of schema versions, with the problems that the compiler reports for them.
///
/// `DFLATKV_UPDATE_GOLDEN=1 swift test --filter CorpusTests` writes the reports into the fixtures. Read the difference.
@Suite struct CorpusTests {
  @Test("The compiler reports each mistake at its position", arguments: try Fixtures.files(in: "Malformed"))
  func aMistakeIsReportedWhereItIs(_ file: Fixtures.File) throws {
    let cases = MalformedCase.parse(file.text)
    try file.update(with: cases.map { $0.reported() })
    for malformed in cases {
      #expect(malformed.reported() == malformed.expected, "\(file.name): \(malformed.title)")
      #expect(!malformed.expected.isEmpty, "\(file.name): \(malformed.title)")
    }
  }

  /// Schemas that flatc 2.0.8 accepts, or that have attributes of ours.
  @Test(
    "The compiler warns of each part without effect at its position", arguments: try Fixtures.files(in: "Warnings"))
  func aWarningIsReportedWhereItsCauseIs(_ file: Fixtures.File) throws {
    let cases = MalformedCase.parse(file.text)
    try file.update(with: cases.map { try $0.warnings() })
    for lenient in cases {
      #expect(try lenient.warnings() == lenient.expected, "\(file.name): \(lenient.title)")
      #expect(!lenient.expected.isEmpty, "\(file.name): \(lenient.title)")
    }
  }

  @Test("The corpus contains at least 150 malformed schemas") func thereAreManyMistakes() throws {
    #expect(try Fixtures.files(in: "Malformed").map { MalformedCase.parse($0.text).count }.reduce(0, +) >= 150)
  }

  @Test(
    "The check reports the expected problems for each pair of schemas", arguments: try Fixtures.files(in: "Evolution"))
  func aSchemaMayFollowAnotherOrNot(_ file: Fixtures.File) throws {
    let cases = EvolutionCase.parse(file.text)
    try file.update(with: cases.map { try $0.reported() })
    for evolution in cases {
      #expect(try evolution.reported() == evolution.expected, "\(file.name): \(evolution.title)")
    }
  }

  @Test("Each schema of the corpus is compatible with itself") func everyGoodSchemaMayFollowItself() throws {
    for file in try Fixtures.files(in: "Evolution") {
      for evolution in EvolutionCase.parse(file.text) {
        for text in [evolution.old, evolution.new] {
          let schema = try SchemaCompiler(source: MemorySource(["a.fbs": text])).compile("a.fbs")
          #expect(SchemaEvolution.problems(from: schema, to: schema) == [], "\(evolution.title)")
        }
      }
    }
  }
}

enum Fixtures {
  struct File: Sendable, CustomTestStringConvertible {
    let url: URL
    let text: String

    var name: String { url.lastPathComponent }
    var testDescription: String { name }

    /// Writes the reports into the file in the tree if `DFLATKV_UPDATE_GOLDEN` is set.
    func update(with reports: [[String]]) throws {
      guard ProcessInfo.processInfo.environment["DFLATKV_UPDATE_GOLDEN"] != nil else { return }
      let parts = text.components(separatedBy: "\n# ")
      try #require(parts.count == reports.count)
      let updated = zip(parts, reports).map { part, reports in
        let lines = part.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("> ") }
        var body = lines.joined(separator: "\n")
        while body.hasSuffix("\n") { body.removeLast() }
        return body + "\n" + reports.map { "> \($0)\n" }.joined()
      }
      let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/\(url.deletingLastPathComponent().lastPathComponent)/\(name)")
      try Data(updated.joined(separator: "\n# ").utf8).write(to: place)
    }
  }

  static let folder = Bundle.module.url(forResource: "Fixtures", withExtension: nil)

  static func files(in folder: String) throws -> [File] {
    let url = try #require(Self.folder).appendingPathComponent(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".txt") }.sorted()
    return try names.map { name in
      let file = url.appendingPathComponent(name)
      return File(url: file, text: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
  }
}
