import DflatSchema
import Testing

@Suite struct SwiftNamesTests {
  @Test(
    "The name of a type becomes a Swift type name",
    arguments: [
      ("Monster", "Monster"), ("my_type", "myType"), ("My_Type", "MyType"), ("_hidden", "hidden"), ("a_1", "a1"),
      ("_1", "_1"), ("_", "__"), ("__", "___"), ("URL", "URL"), ("x_", "x"),
    ])
  func types(name: String, swift: String) { #expect(SwiftNames.typeName(name) == swift) }

  @Test(
    "The name of a field becomes a Swift member name",
    arguments: [
      ("hp", "hp"), ("hp_old", "hpOld"), ("snake_case_name", "snakeCaseName"), ("Name", "name"), ("URL", "url"),
      ("URLString", "urlString"), ("MAX_HP", "maxHP"), ("_private", "private"), ("hpOld", "hpOld"), ("x1_y2", "x1Y2"),
      ("_1", "_1"), ("_", "__"), ("aURL", "aURL"), ("ID", "id"),
    ])
  func members(name: String, swift: String) { #expect(SwiftNames.memberName(name) == swift) }

  @Test(
    "The name of an enum value becomes a Swift case name",
    arguments: [
      ("Red", "red"), ("ALPHA", "ALPHA"), ("MAX_HP", "MAX_HP"), ("gamma_delta", "gammaDelta"),
      ("XMLParser", "xMLParser"), ("BoolValue", "boolValue"), ("A", "A"), ("a", "a"), ("_x", "x"), ("V2", "V2"),
    ])
  func enumCases(name: String, swift: String) { #expect(SwiftNames.caseName(name) == swift) }

  @Test(
    "The name of a union member becomes a Swift case name",
    arguments: [
      ("Weapon", "weapon"), ("TextContent", "textContent"), ("URL", "url"), ("MY_TYPE", "myType"), ("XMLDoc", "xMLDoc"),
      ("text_content", "textContent"), ("s", "s"), ("A", "a"),
    ])
  func unionCases(name: String, swift: String) { #expect(SwiftNames.unionCaseName(name) == swift) }
}
