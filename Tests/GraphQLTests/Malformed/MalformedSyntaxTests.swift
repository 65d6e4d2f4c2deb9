import DflatSchema
import Testing

@testable import DflatGraphQL

/// Errors of the lexer and the parser are at the exact place.
@Suite struct MalformedSyntaxTests {
  @Test("An error of the syntax is reported once, at its place", arguments: tokens + operations + values + types)
  func isAtItsPlace(case: MalformedDocument) {
    let text = SourceText(path: "d", bytes: Array(`case`.document.utf8))
    `case`.expectOnlyError(GraphQLParser.parse(text, file: 0).diagnostics)
  }

  @Test("Byte order marks are ignored between tokens, as where files were joined") func byteOrderMarks() {
    let mark = "\u{FEFF}"
    let document = "{ a\(mark)b }\n"
    let joined = mark + document + mark + "# comment\n" + mark + "query A { a(b: 1\(mark)c: \"d\(mark)\") }" + mark
    let parsed = GraphQLParser.parse(SourceText(path: "d", bytes: Array(joined.utf8)), file: 0)
    #expect(parsed.diagnostics.isEmpty, "\(parsed.diagnostics)")
    #expect(parsed.document.definitions.count == 2)
  }

  static let tokens = [
    MalformedDocument("{ a ‸? }", "'?' is not allowed here"),
    MalformedDocument("{ a ‸; b }", "';' is not allowed here"),
    MalformedDocument("{ ‸é }", "'é' is not allowed here"),
    MalformedDocument("{ ‸😀a b }", "'😀' is not allowed here"),
    MalformedDocument("{ a(b: ‸'c') }", "''' is not allowed here"),
    MalformedDocument("{ a ‸\u{1}}", "U+1 is not allowed here"),
    MalformedDocument("{ ‸..a }", "'..' has no meaning"),
    MalformedDocument("{ ‸.a }", "'.' has no meaning"),
    MalformedDocument("{ a(b: ‸01) }", "can't begin with the digit 0"),
    MalformedDocument("{ a(b: ‸-) }", "'-' is not followed by a digit"),
    MalformedDocument("{ a(b: ‸-00) }", "can't begin with the digit 0"),
    MalformedDocument("{ a(b: ‸1.) }", "the decimal point of this number is not followed by a digit"),
    MalformedDocument("{ a(b: ‸1.e1) }", "the decimal point of this number is not followed by a digit"),
    MalformedDocument("{ a(b: ‸1e) }", "the exponent's mark of this number is not followed by a digit"),
    MalformedDocument("{ a(b: ‸1e+) }", "the exponent's mark of this number is not followed by a digit"),
    MalformedDocument("{ a(b: ‸1x) }", "'1x' is not a number"),
    MalformedDocument("{ a(b: ‸0xF) }", "'0xF' is not a number"),
    MalformedDocument("{ a(b: ‸1_000) }", "'1_000' is not a number"),
    MalformedDocument("{ a(b: ‸1.2.3) }", "'1.2.3' is not a number"),
    MalformedDocument("{ a(b: ‸\"c) }", "this string does not end on its line"),
    MalformedDocument("{ a(b: ‸\"c\n) }", "this string does not end on its line"),
    MalformedDocument("{ a(b: \"c‸\\x\") }", "'\\x' is not an escape sequence"),
    MalformedDocument("{ a(b: \"c‸\\é\") }", "'\\é' is not an escape sequence"),
    MalformedDocument("{ a(b: \"‸\\u12\") }", "'\\u' is not followed by four hexadecimal digits"),
    MalformedDocument("{ a(b: \"‸\\uD800\") }", "is not a Unicode character"),
    MalformedDocument("{ a(b: \"‸\\uDC00\") }", "is not a Unicode character"),
    MalformedDocument("{ a(b: \"‸\\u{}\") }", "'\\u{' is not followed by hexadecimal digits and '}'"),
    MalformedDocument("{ a(b: \"‸\\u{110000}\") }", "is not a Unicode character"),
    MalformedDocument("{ a(b: \"‸\\u{D800}\") }", "is not a Unicode character"),
    MalformedDocument("{ a(b: \"‸\\u{12\") }", "'\\u{' is not followed by hexadecimal digits and '}'"),
    MalformedDocument("{ a(b: ‸\"\"\"c\") }", "this block string is not closed"),
    MalformedDocument("{ a(b: ‸\"\"\"c\\\"\"\") }", "this block string is not closed"),
  ]

  static let operations = [
    MalformedDocument("‸", "this file has no definition"),
    MalformedDocument("# nothing\n‸", "this file has no definition"),
    MalformedDocument("{‸", "this should be the name of a field, not the end of the file"),
    MalformedDocument("{ a‸", "this should be the name of a field, not the end of the file"),
    MalformedDocument("{ ‸}", "there is nothing between these marks"),
    MalformedDocument("{ a { ‸} }", "there is nothing between these marks"),
    MalformedDocument("{ a } ‸}", "this should begin a definition, not '}'"),
    MalformedDocument("‸quer { a }", "this should be the keyword of a definition, not 'quer'"),
    MalformedDocument("‸a", "this should be the keyword of a definition, not 'a'"),
    MalformedDocument("‸1", "this should begin a definition, not '1'"),
    MalformedDocument("query‸", "this should be '{', which begins the selected fields, not the end of the file"),
    MalformedDocument("query A‸", "this should be '{', which begins the selected fields"),
    MalformedDocument("query A ‸B { a }", "this should be '{', which begins the selected fields, not 'B'"),
    MalformedDocument("query A(‸) { a }", "there is nothing between these marks"),
    MalformedDocument("query A(‸a: Int) { a }", "this should be '$', which begins a variable's name"),
    MalformedDocument("query A($‸1: Int) { a }", "this should be the name of a variable"),
    MalformedDocument("query A($a ‸Int) { a }", "this should be ':', before the variable's type"),
    MalformedDocument("query A($a: ‸) { a }", "this should be the name of a type"),
    MalformedDocument("query A($a: [Int‸) { a }", "this should be ']', which ends the list"),
    MalformedDocument("query A($a: Int!‸!) { a }", "this should be '$', which begins a variable's name"),
    MalformedDocument("query A($a: Int = ‸$b) { a }", "a variable can't stand here"),
    MalformedDocument("query A($a: Int = ‸) { a }", "this should be a value, not ')'"),
    MalformedDocument("query A($a: Int @b(c: ‸$d)) { a }", "a variable can't stand here"),
    MalformedDocument("query A @‸{ a }", "this should be the name of a directive"),
    MalformedDocument("query A @b(‸) { a }", "there is nothing between these marks"),
    MalformedDocument("{ a: ‸}", "this should be the name of a field, not '}'"),
    MalformedDocument("{ a: ‸1 }", "this should be the name of a field, not '1'"),
    MalformedDocument("{ a(‸) }", "there is nothing between these marks"),
    MalformedDocument("{ a(‸1) }", "this should be the name of an argument"),
    MalformedDocument("{ a(b‸) }", "this should be ':', before the value"),
    MalformedDocument("{ a(b: 1 ‸}", "this should be the name of an argument, not '}'"),
    MalformedDocument("{ ...‸}", "this should be '{', which begins the selected fields, not '}'"),
    MalformedDocument("{ ... on‸}", "this should be the name of a type, not '}'"),
    MalformedDocument("{ ... on A ‸}", "this should be '{', which begins the selected fields, not '}'"),
    MalformedDocument("fragment‸", "this should be the name of a fragment, not the end of the file"),
    MalformedDocument("fragment ‸on on A { a }", "a fragment can't have the name 'on'"),
    MalformedDocument("fragment A ‸{ a }", "this should be 'on', before the fragment's type, not '{'"),
    MalformedDocument("fragment A ‸($a: Int) on B { a }", "this should be 'on', before the fragment's type"),
    MalformedDocument("fragment A on ‸{ a }", "this should be the name of a type, not '{'"),
    MalformedDocument("fragment A on B‸", "this should be '{', which begins the selected fields"),
    MalformedDocument("\"text\" ‸query A { a }", "operations and fragments have no descriptions"),
    MalformedDocument("\"text\" ‸fragment A on B { a }", "operations and fragments have no descriptions"),
    MalformedDocument("\"text\" ‸{ a }", "this should begin a definition, not '{'"),
    MalformedDocument("{ a }\n\nquery B {\n  b(c: ‸)\n}\nquery C { a }", "this should be a value, not ')'"),
    MalformedDocument(
      String(repeating: "{a", count: 200) + "‸{a" + String(repeating: "}", count: 201), "nest deeper than 200"),
  ]

  static let values = [
    MalformedDocument("{ a(b: ‸!) }", "this should be a value, not '!'"),
    MalformedDocument("{ a(b: [1, ‸) }", "this should be a value, not ')'"),
    MalformedDocument("{ a(b: {‸1}) }", "this should be the name of an argument, not '1'"),
    MalformedDocument("{ a(b: {c‸}) }", "this should be ':', before the value, not '}'"),
    MalformedDocument("{ a(b: {c: ‸}) }", "this should be a value, not '}'"),
    MalformedDocument("{ a(b: $‸) }", "this should be the name of a variable, not ')'"),
    MalformedDocument("{ a(b: [{c: [‸}]}]) }", "this should be a value, not '}'"),
    MalformedDocument("{ a(b: " + String(repeating: "[", count: 198) + "‸[) }", "nest deeper than 200"),
  ]

  static let types = [
    MalformedDocument("type‸", "this should be the name of a type, not the end of the file"),
    MalformedDocument("type ‸{ a: Int }", "this should be the name of a type, not '{'"),
    MalformedDocument("type A { ‸}", "there is nothing between these marks"),
    MalformedDocument("type A { a ‸}", "this should be ':', before the field's type, not '}'"),
    MalformedDocument("type A { a: ‸}", "this should be the name of a type, not '}'"),
    MalformedDocument("type A { a: [Int ‸}", "this should be ']', which ends the list, not '}'"),
    MalformedDocument("type A { a(‸): Int }", "there is nothing between these marks"),
    MalformedDocument("type A { a(b‸): Int }", "this should be ':', before the type, not ')'"),
    MalformedDocument("type A { a(b: Int = ‸$c): Int }", "a variable can't stand here"),
    MalformedDocument("type A { ‸1: Int }", "this should be the name of a field, not '1'"),
    MalformedDocument("type A { a: Int ‸= 1 }", "this should be the name of a field, not '='"),
    MalformedDocument("type A implements ‸{ a: Int }", "this should be the name of an interface, not '{'"),
    MalformedDocument("type A implements B & ‸{ a: Int }", "this should be the name of an interface, not '{'"),
    MalformedDocument("type A implements B ‸| C { a: Int }", "this should begin a definition, not '|'"),
    MalformedDocument("interface ‸& { a: Int }", "this should be the name of a type, not '&'"),
    MalformedDocument("union A = ‸", "this should be the name of a type, not the end of the file"),
    MalformedDocument("union A = B | ‸", "this should be the name of a type, not the end of the file"),
    MalformedDocument("union A = ‸{ B }", "this should be the name of a type, not '{'"),
    MalformedDocument("enum A { ‸}", "there is nothing between these marks"),
    MalformedDocument("enum A { ‸true }", "an enum's value can't have the name 'true'"),
    MalformedDocument("enum A { B ‸null }", "an enum's value can't have the name 'null'"),
    MalformedDocument("enum A { ‸1 }", "this should be the name of a value, not '1'"),
    MalformedDocument("enum A { B ‸= 1 }", "this should be the name of a value, not '='"),
    MalformedDocument("input A { ‸}", "there is nothing between these marks"),
    MalformedDocument("input A { a‸(b: Int): Int }", "this should be ':', before the type, not '('"),
    MalformedDocument("input A { a: Int = ‸}", "this should be a value, not '}'"),
    MalformedDocument("scalar ‸@a", "this should be the name of a type, not '@'"),
    MalformedDocument("schema ‸", "this should be '{', before the operation types"),
    MalformedDocument("schema { ‸}", "there is nothing between these marks"),
    MalformedDocument("schema { ‸queries: A }", "this should be query, mutation or subscription, not 'queries'"),
    MalformedDocument("schema { query ‸A }", "this should be ':', before the type, not 'A'"),
    MalformedDocument("schema { query: ‸[A] }", "this should be the name of a type, not '['"),
    MalformedDocument("directive ‸a on FIELD", "this should be '@', before the directive's name, not 'a'"),
    MalformedDocument("directive @a ‸FIELD", "this should be 'on', before the directive's locations"),
    MalformedDocument("directive @a on ‸", "this should be the name of a location"),
    MalformedDocument("directive @a on ‸FIELDS", "'FIELDS' is no location of directives"),
    MalformedDocument("directive @a on FIELD | ‸object", "'object' is no location of directives"),
    MalformedDocument("directive @a(‸) on FIELD", "there is nothing between these marks"),
    MalformedDocument("directive @a repeatable ‸FIELD", "this should be 'on', before the directive's locations"),
    MalformedDocument("extend ‸query { a }", "this should be the keyword of a definition, not 'query'"),
    MalformedDocument("extend ‸directive @a on FIELD", "this should be the keyword of a definition"),
    MalformedDocument("extend type A‸", "this extension of 'A' adds nothing"),
    MalformedDocument("extend scalar A‸", "this extension of 'A' adds nothing"),
    MalformedDocument("extend union A‸", "this extension of 'A' adds nothing"),
    MalformedDocument("extend schema‸", "this should be '{', before the operation types"),
    MalformedDocument("\"text\" ‸extend type A { a: Int }", "extensions have no descriptions"),
    MalformedDocument("type A {\n  a: Int\n  b: ‸}\n\ntype C { a: Int }", "this should be the name of a type, not '}'"),
  ]
}
