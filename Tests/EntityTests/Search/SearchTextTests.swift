import Testing

@testable import DflatEntities

/// The translation of what users type into FTS5's expressions.
@Suite struct SearchTextTests {
  /// Returns the expression of a search, in which only ASCII letters and digits make words.
  private func expression(_ search: String) throws -> String? {
    try SearchExpression(SearchText(search)) { text in
      text.unicodeScalars.contains { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    }.text
  }

  @Test(
    "Words, phrases, prefixes, exclusions and alternatives",
    arguments: [
      ("fox", "\"fox\""), ("red fox", "(\"red\" AND \"fox\")"), ("\"red fox\"", "\"red fox\""), ("fo*", "\"fo\" *"),
      ("\"red fo\"*", "\"red fo\" *"), ("red -fox", "(\"red\" NOT \"fox\")"), ("-fox red", "(\"red\" NOT \"fox\")"),
      ("red -fox -wolf", "(\"red\" NOT (\"fox\" OR \"wolf\"))"), ("fox OR wolf", "(\"fox\" OR \"wolf\")"),
      ("a b OR c", "((\"a\" AND \"b\") OR \"c\")"), ("a (b OR c)", "(\"a\" AND (\"b\" OR \"c\"))"),
      ("a -(b c)", "(\"a\" NOT (\"b\" AND \"c\"))"), ("a -\"b c\"", "(\"a\" NOT \"b c\")"),
      ("don't foo-bar", "(\"don't\" AND \"foo-bar\")"),
      // FTS5's own operators are words like any others.
      ("AND NOT NEAR", "(\"AND\" AND \"NOT\" AND \"NEAR\")"),
    ])
  func translated(_ search: String, _ expected: String) throws {
    #expect(try expression(search) == expected)
  }

  @Test(
    "Every text has a meaning",
    arguments: [
      ("", nil), ("   ", nil), ("-fox", nil), ("\"", nil), ("*", nil), ("OR", nil), ("()", nil), ("-", nil),
      ("!?", nil),
      ("fox OR", "\"fox\""), ("OR fox", "\"fox\""), ("OR OR fox OR", "\"fox\""), ("\"fox", "\"fox\""),
      ("(fox", "\"fox\""), ("fox)", "\"fox\""), (")fox(", "\"fox\""), ("fox !?", "\"fox\""), ("fox -!?", "\"fox\""),
      ("fox -", "\"fox\""), ("fox**", "\"fox\" *"), ("--fox red", "(\"red\" NOT \"-fox\")"), ("a (-b)", nil),
      ("a OR -b", "\"a\""), ("a\"b\"c", "(\"a\" AND \"b\" AND \"c\")"), ("a\u{0}b", "(\"a\" AND \"b\")"),
      ("\"a\u{0}b\"", "\"a b\""), ("((((((a))))))", "\"a\""), ("a)) b", "(\"a\" AND \"b\")"),
      ("{title} : a^2", "(\"{title}\" AND \"a^2\")"),
    ] as [(String, String?)])
  func odd(_ search: String, _ expected: String?) throws {
    #expect(try expression(search) == expected)
  }

  @Test("A quote is an end of a phrase even before a combining mark")
  func combiningMark() throws {
    let found = try #require(try expression("\"a\"\u{301} b"))
    #expect(found.unicodeScalars.count { $0 == "\"" } == 4)
  }

  @Test("Only the first words and bytes count")
  func limits() throws {
    let words = (0..<1_000).map { "w\($0)" }.joined(separator: " ")
    let found = try #require(try expression(words))
    #expect(found.contains("\"w255\"") && !found.contains("\"w256\""))
    #expect(try expression(String(repeating: "a", count: SearchText.maximumBytes)) != nil)
    #expect(try expression(String(repeating: "a", count: SearchText.maximumBytes + 1)) == nil)
  }

  @Test("SQLite accepts the expression of every text", arguments: [1, 2, 3] as [UInt64])
  func accepted(seed: UInt64) throws {
    var random = SeededSearches(seed: seed)
    for _ in 0..<2_000 {
      let search = random.text(of: SeededSearches.syntax, upTo: 40)
      try SearchEvaluator.lend { evaluator in
        let expression = try SearchExpression(SearchText(search)) { try evaluator.hasWords($0) }
        guard let text = expression.text(in: ["c0", "c1"]) else { return }
        var title = "a b"
        _ = try title.withUTF8 { try evaluator.matches(text, [UnsafeRawBufferPointer($0), nil]) }
      }
    }
    // Many terms, and the deepest nesting that counts.
    for search in [
      (0..<300).map { "w\($0)" }.joined(separator: " "), "a " + (0..<300).map { "-w\($0)" }.joined(separator: " "),
      (0..<300).map { "w\($0)" }.joined(separator: " OR "),
      String(repeating: "(a -b OR c ", count: 20) + String(repeating: ")", count: 20),
      String(repeating: "a -(b OR c ", count: 20),
    ] {
      try SearchEvaluator.lend { evaluator in
        let expression = try SearchExpression(SearchText(search)) { try evaluator.hasWords($0) }
        let text = try #require(expression.text(in: ["c0"]))
        var title = "a"
        _ = try title.withUTF8 { try evaluator.matches(text, [UnsafeRawBufferPointer($0)]) }
      }
    }
  }

  @Test("A definition in the file reads back as the same fields")
  func definition() throws {
    let paths = [
      FieldPath(.string(4)), FieldPath(.string(6, default: "a:b/12:\u{e9} e\u{301}")),
      FieldPath([.table(8), .union(10, kind: 3)], .string(4)), FieldPath(.unionString(12, kind: 1)),
    ]
    let fields = try #require(SearchFields(paths))
    #expect(fields.name == "search__f4___f6___f8__f10__u3__f4___f12__u1")
    #expect(SearchFields(definition: fields.definition) == fields)
    #expect(FieldPath(definition: fields.definition) == nil)
    for damaged in ["search:", "search:0:", "search:9:string:4", "search:8:string:4x", "search:6:kind:4", "string:4"] {
      #expect(SearchFields(definition: damaged) == nil, "\(damaged)")
    }
    #expect(SearchFields([]) == nil)
  }

  @Test("The name of a full-text index's table states its table and columns")
  func names() throws {
    let fields = try #require(SearchFields([FieldPath(.string(4)), FieldPath([.table(8)], .string(10))]))
    let place = try #require(SearchTableFormat.place(of: fields.table(of: "blog__search__post")))
    #expect(place.table == "blog__search__post" && place.path == fields.name && place.columns == ["f4", "f8__f10"])
    #expect(SearchTableFormat.place(of: "post__f4") == nil)
    #expect(SearchTableFormat.place(of: "post__search__x") == nil)
    #expect(SearchTableFormat.place(of: "search__f4") == nil)
  }

  @Test("The module's own tables may be written in another style, but not otherwise")
  func ownTables() {
    let name = "post__search__f4"
    for suffix in SearchTableFormat.suffixes {
      let sql = SearchTableFormat.ownTable(name, suffix, columnCount: 1)
      func isKnown(_ sql: String) -> Bool { SearchTableFormat.indexes(ofTable: "\(name)_\(suffix)", sql) != nil }
      #expect(isKnown(sql) && isKnown(sql.replacing("'", with: "\"")))
      #expect(isKnown(sql.replacing("PRIMARY KEY", with: "primary  key")))
      #expect(!isKnown(sql + " STRICT") && !isKnown(sql.replacing("PRIMARY KEY", with: "")))
      #expect(!isKnown(sql.replacing(")", with: ", x DEFAULT (random()))")))
      #expect(SearchTableFormat.indexes(ofTable: "other_\(suffix)", sql) == nil)
    }
  }
}
