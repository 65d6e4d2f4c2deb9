import DflatKV
import Foundation
import TestSupport
import Testing

/// Subscripts exactly as programs write them: the first requirement is that this suite compiles.
@Suite struct SubscriptTests {
  @Test("Subscripts take literals and infer the types of values") func literals() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["int"] = 5
    d["double"] = 5.0
    d["bool"] = true
    d["string"] = "s"
    d["float"] = Float(1)
    let int: Int? = d["int"]
    let double: Double? = d["double"]
    let bool: Bool? = d["bool"]
    let string: String? = d["string"]
    let float: Float? = d["float"]
    #expect(int == 5 && double == 5 && bool == true && string == "s" && float == 1)
    #expect(d["int", Int.self] == 5)
    #expect(d["int", default: 1] == 5)
    #expect(d["none", default: 1] == 1)
    #expect(d["none", default: "text"] == "text")
    d["int", Int.self] = nil
    #expect(d["int", Int.self] == nil)
  }

  @Test("Subscripts read and write Int64, Date, Data, arrays and optional types") func otherTypes() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["int64"] = Int64(7)
    d["date"] = Date(timeIntervalSince1970: 7)
    d["data"] = Data([7])
    d["array"] = [7]
    d["optional", Int?.self] = .some(7)
    let int64: Int64? = d["int64"]
    let date: Date? = d["date"]
    let data: Data? = d["data"]
    let array: [Int]? = d["array"]
    let optional: Int?? = d["optional", Int?.self]
    #expect(int64 == 7 && date == Date(timeIntervalSince1970: 7) && data == Data([7]) && array == [7])
    #expect(optional == .some(.some(7)))
    let numbers: [Int] = d["array", default: [1]]
    let others = d["none", default: [Int]()]
    #expect(numbers == [7] && others == [])
    #expect(d["date", default: .distantPast] == Date(timeIntervalSince1970: 7))
  }

  @Test("A subscript without a type reads a StoredValue, and nil removes it") func ambiguous() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["k"] = 5
    let value = d["k"]
    #expect(value == .int(5))
    d["k"] = nil
    #expect(!d.contains("k"))
    let none = d["k"]
    #expect(none == nil)
  }

  @Test("Subscripts with a default or a type change values in place") func inPlace() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["count", default: 0] += 1
    d["count", default: 0] += 1
    #expect(d["count"] == 2)
    d["names", default: []].append("Ada")
    d["names", default: []].append("Alan")
    #expect(d["names", [String].self] == ["Ada", "Alan"])
    d["text", default: ""] += "x"
    #expect(d["text"] == "x")
    d["count", Int.self]? += 1
    #expect(d["count"] == 3)
    d["point"] = Point(x: 1, y: 1)
    d["point", Point.self]?.x = 4
    #expect(d["point"] == Point(x: 4, y: 1))
  }

  @Test("A default is computed only for a missing key and is never stored") func defaults() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    var computed = 0
    func compute() -> Int {
      computed += 1
      return 9
    }
    d["k"] = 1
    #expect(d["k", default: compute()] == 1)
    #expect(computed == 0)
    #expect(d["none", default: compute()] == 9)
    #expect(computed == 1)
    #expect(!d.contains("none"))
    try d.synchronize()
    #expect(d.keys == ["k"])
  }

  @Test("A generic function stores an Int and a String as native values") func generic() throws {
    func roundTrip<T: DictionaryCodable>(_ value: T, in dictionary: WorkspaceDictionary) -> T? {
      dictionary["k"] = value
      return dictionary["k", T.self]
    }
    let test = try TestWorkspace()
    #expect(roundTrip(5, in: test.dictionary) == 5)
    #expect(test.dictionary["k"] == StoredValue.int(5))
    #expect(roundTrip("text", in: test.dictionary) == "text")
    #expect(test.dictionary["k"] == StoredValue.string("text"))
    #expect(roundTrip(Point(x: 1, y: 2), in: test.dictionary) == Point(x: 1, y: 2))
  }

  @Test("A constant dictionary accepts writes, and copies are the same dictionary") func copies() throws {
    let test = try TestWorkspace()
    let first = test.dictionary
    let second = first
    first["k"] = 1
    #expect(second["k"] == 1)
    var third = test.workspace.dictionary
    third["k"] = 2
    third = first
    #expect(third["k"] == 2)
  }

  @Test("A workspace of type any Workspace gives access to its dictionary") func existential() throws {
    let test = try TestWorkspace()
    let workspace: any Workspace = test.workspace
    workspace.dictionary["k"] = 1
    #expect(workspace.dictionary["k"] == 1)
  }

  /// Expects that `delete` deletes the key "k", which it hasn't read, in the file.
  private func expectDeletion(by delete: (WorkspaceDictionary) -> Void) throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    test.dictionary["p"] = Point(x: 1, y: 1)
    try test.dictionary.synchronize()
    let other = try test.another()
    delete(other.dictionary)
    #expect(!other.dictionary.contains("k"))
    try other.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == ["p"])
  }

  @Test("Setting a key that was never read to nil deletes it in the file")
  func deleteUnread() throws { try expectDeletion { $0["k"] = nil } }

  @Test("Setting a key that was never read to nil deletes it in the file, with its value's type")
  func deleteUnreadByType() throws { try expectDeletion { $0["k", Int.self] = nil } }

  @Test("Setting a key that was never read to nil deletes it in the file, with another type")
  func deleteUnreadByAnotherType() throws { try expectDeletion { $0["k", Point.self] = nil } }

  @Test("Removing a key that was never read deletes it in the file")
  func removeUnread() throws { try expectDeletion { $0.removeValue(forKey: "k") } }
}
