import DflatKV
import Foundation
import TestSupport
import Testing

@Suite struct NativeValueTests {
  /// Returns the value as read from the overlay, from the cache after the commit, and from the file with an empty
  /// cache.
  private func readings<T: DictionaryNativeValue>(_ value: T) throws -> [T?] {
    let test = try TestWorkspace()
    test.dictionary["k"] = value
    let pending = test.dictionary["k", T.self]
    try test.dictionary.synchronize()
    let fresh = try test.another()
    return [pending, test.dictionary["k", T.self], fresh.dictionary["k", T.self]]
  }

  private func check<T: DictionaryNativeValue>(
    _ values: T..., same: (T, T) -> Bool = { $0 == $1 }, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for value in values {
      for found in try readings(value) {
        let found = try #require(found, sourceLocation: sourceLocation)
        #expect(same(found, value), "\(found) is not \(value)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("Booleans are read as they were written") func booleans() throws { try check(true, false) }

  @Test("Integers at their limits are read as they were written") func integers() throws {
    try check(Int.min, .max, 0, -1)
    try check(Int8.min, .max)
    try check(Int16.min, .max)
    try check(Int32.min, .max)
    try check(Int64.min, .max)
    try check(UInt.max, 0)
    try check(UInt8.max, 0)
    try check(UInt16.max)
    try check(UInt32.max)
    try check(UInt64.max, UInt64(Int64.max) + 1)
  }

  @Test("Floating-point values keep their bits") func floatingPoint() throws {
    try check(
      0.0, -0.0, 1 / 3, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .ulpOfOne, 1e15, -7,
      same: { (a: Double, b: Double) in a.bitPattern == b.bitPattern })
    try check(
      0.0, -0.0, 1 / 3, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .ulpOfOne, 3,
      same: { (a: Float, b: Float) in a.bitPattern == b.bitPattern })
  }

  @Test("NaN is stored and read as NaN") func notANumber() throws {
    try check(Double.nan, .signalingNaN, same: { $0.isNaN && $1.isNaN })
    try check(Float.nan, -Float.nan, same: { $0.isNaN && $1.isNaN })
  }

  @Test("Strings keep their bytes") func strings() throws {
    let long = String(repeating: "dictionary ", count: 100_000)
    try check(
      "", "a", "\0", "a\0b\0", "e\u{301}", "\u{e9}", "🏳️‍🌈", "\u{feff}x", "\u{fffd}", "line\r\n", long,
      same: { $0.utf8.elementsEqual($1.utf8) })
  }

  @Test("Data and its slices are read as they were written") func data() throws {
    try check(Data(), Data([0]), Data(0...255), Data(repeating: 7, count: 1_000_000))
    try check(Data([1, 2, 3, 4])[1...2])
  }

  @Test("Setting a stored value again commits nothing, even for NaN") func unchanged() throws {
    let test = try TestWorkspace()
    let dictionary = test.dictionary
    func setAll() {
      dictionary["bool"] = true
      dictionary["int"] = 5
      dictionary["float"] = Float.nan
      dictionary["double"] = Double.nan
      dictionary["string"] = "text"
      dictionary["data"] = Data([1])
    }
    setAll()
    try dictionary.synchronize()
    let number = test.workspace.commitNumber
    setAll()
    try dictionary.synchronize()
    #expect(test.workspace.commitNumber == number)
  }

  @Test("A value that looks equal but has other bytes or another type is committed", arguments: [0, 1, 2, 3])
  func almostUnchanged(example: Int) throws {
    let test = try TestWorkspace()
    let dictionary = test.dictionary
    let pairs: [(StoredValue, StoredValue)] = [
      (.double(0), .double(-0.0)), (.string("\u{e9}"), .string("e\u{301}")), (.int(1), .uint(1)),
      (.bool(true), .int(1)),
    ]
    let (before, after) = pairs[example]
    dictionary["k"] = before
    try dictionary.synchronize()
    let number = test.workspace.commitNumber
    dictionary["k"] = after
    try dictionary.synchronize()
    #expect(test.workspace.commitNumber == number + 1)
    let fresh = try test.another()
    let found = try #require(try fresh.dictionary.storedValue(forKey: "k"))
    #expect("\(found)".utf8.elementsEqual("\(after)".utf8))
  }
}
