import DflatKV
import Foundation
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let volume = DictionaryKey("k", default: 0.5)
}

/// Numbers that are read as other types.
@Suite struct NumberConversionTests {
  /// Returns nil for a mismatch.
  private func reads<T: DictionaryNativeValue>(_ type: T.Type, _ value: StoredValue) throws -> T? {
    let test = try TestWorkspace()
    test.dictionary["k"] = value
    do {
      let found = try test.dictionary.value(forKey: "k", as: type)
      // As texts, because a NaN isn't equal to itself.
      #expect(String(describing: test.dictionary["k", type]) == String(describing: found))
      return found
    } catch let error as WorkspaceError {
      #expect(error.code == .typeMismatch)
      #expect(test.dictionary["k", type] == nil)
      return nil
    }
  }

  @Test("An integer is read as any integer type that its value fits") func fits() throws {
    #expect(try reads(Int8.self, .int(-128)) == -128)
    #expect(try reads(UInt8.self, .int(255)) == 255)
    #expect(try reads(Int8.self, .uint(127)) == 127)
    #expect(try reads(UInt64.self, .int(.max)) == UInt64(Int64.max))
    #expect(try reads(Int64.self, .uint(UInt64(Int64.max))) == .max)
    #expect(try reads(UInt64.self, .uint(.max)) == .max)
    #expect(try reads(Int.self, .int(.min)) == .min)
  }

  @Test("An integer is not read as a type that its value doesn't fit") func doesNotFit() throws {
    #expect(try reads(Int8.self, .int(128)) == nil)
    #expect(try reads(UInt8.self, .int(300)) == nil)
    #expect(try reads(UInt.self, .int(-1)) == nil)
    #expect(try reads(Int64.self, .uint(UInt64(Int64.max) + 1)) == nil)
    #expect(try reads(UInt16.self, .uint(65_536)) == nil)
  }

  @Test("An integer is read as a floating-point type that represents it exactly") func integerAsReal() throws {
    #expect(try reads(Double.self, .int(1)) == 1)
    #expect(try reads(Double.self, .int(.min)) == -0x1p63)
    #expect(try reads(Double.self, .uint(1 << 63)) == 0x1p63)
    #expect(try reads(Double.self, .int(1 << 53)) == 0x1p53)
    #expect(try reads(Double.self, .int(1 << 54)) == 0x1p54)
    #expect(try reads(Double.self, .int((1 << 53) + 1)) == nil)
    #expect(try reads(Double.self, .uint(.max)) == nil)
    #expect(try reads(Float.self, .int(1 << 24)) == 0x1p24)
    #expect(try reads(Float.self, .int((1 << 24) + 1)) == nil)
  }

  @Test("A whole number is read as an integer type that it fits, and a fraction is not") func realAsInteger() throws {
    #expect(try reads(Int.self, .double(1)) == 1)
    #expect(try reads(Int.self, .double(-0.0)) == 0)
    #expect(try reads(Int.self, .float(-2)) == -2)
    #expect(try reads(UInt8.self, .double(255)) == 255)
    #expect(try reads(Int.self, .double(0.5)) == nil)
    #expect(try reads(Int.self, .double(.infinity)) == nil)
    #expect(try reads(Int.self, .double(.nan)) == nil)
    #expect(try reads(Int.self, .double(0x1p63)) == nil)
    #expect(try reads(UInt.self, .float(-1)) == nil)
    #expect(try reads(UInt8.self, .double(256)) == nil)
  }

  @Test("A floating-point number is read as another width if it is exact") func realAsReal() throws {
    #expect(try reads(Double.self, .float(0.1)) == Double(Float(0.1)))
    #expect(try reads(Double.self, .float(.nan))?.isNaN == true)
    #expect(try reads(Float.self, .double(1.5)) == 1.5)
    #expect(try reads(Float.self, .double(-.infinity)) == -.infinity)
    #expect(try reads(Float.self, .double(-0.0))?.sign == .minus)
    #expect(try reads(Float.self, .double(.nan))?.isNaN == true)
    #expect(try reads(Float.self, .double(0.1)) == nil)
    #expect(try reads(Float.self, .double(1e300)) == nil)
  }

  @Test("Booleans, texts and data are read as their own types only") func noOtherConversion() throws {
    #expect(try reads(Int.self, .bool(true)) == nil)
    #expect(try reads(Double.self, .bool(true)) == nil)
    #expect(try reads(Bool.self, .int(1)) == nil)
    #expect(try reads(Bool.self, .double(1)) == nil)
    #expect(try reads(Int.self, .string("1")) == nil)
    #expect(try reads(String.self, .int(1)) == nil)
    #expect(try reads(String.self, .data(Data("a".utf8))) == nil)
    #expect(try reads(Data.self, .string("a")) == nil)
  }

  @Test("The message of an inexact number names both types") func message() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 0.5
    let error = #expect(throws: WorkspaceError.self) { try test.dictionary.value(forKey: "k", as: Int.self) }
    #expect(error?.message == "'k': The stored value is of type double, which Int can't represent exactly.")
  }

  @Test("Every way of reading converts numbers") func everyWay() async throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 2
    try await test.dictionary.flush()
    let fresh = try test.another()
    for test in [test, fresh] {
      let d = test.dictionary
      #expect(d["k", Double.self] == 2)
      #expect(d["k", default: 0.5] == 2)
      #expect(d["k", Double?.self] == .some(2))
      #expect(d[.volume] == 2)
      #expect(Persisted(.volume, in: d).wrappedValue == 2)
      #expect(test.workspace.fetchWithinASnapshot { d["k", Double.self] } == 2)
      let inTransaction = try await test.workspace.transact([]) { $0.dictionary["k", Double.self] }
      #expect(inTransaction == 2)
      let log = EventLog<Double?>()
      let subscriptions = [
        d.subscribe("k", of: Double.self) { if case .initial(let value) = $0 { log.append(value) } },
        d.subscribe(.volume) { log.append($0) },
      ]
      #expect(log.events == [2, 2])
      withExtendedLifetime(subscriptions) {}
      for await value in d.subscribe("k", of: Double.self) {
        #expect(value == 2)
        break
      }
      let isSwapped = try await d.compareAndSet("k", expected: 2.0, new: 2.0)
      #expect(isSwapped)
      test.dictionary["k"] = 2
      #expect(try await d.update("k", default: 0.5) { $0 /= 4 } == 0.5)
      test.dictionary["k"] = 2
      try await d.flush()
    }
  }

  @Test("Numbers within property lists are converted if they are exact") func inLists() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["k"] = [1, 2]
    #expect(d["k", [Double].self] == [1, 2])
    d["k"] = ["x": 1, "y": 2]
    #expect(d["k", Point.self] == Point(x: 1, y: 2))
    func isUndecodable<T: DictionaryCodable>(_ type: T.Type) -> Bool {
      let error = #expect(throws: WorkspaceError.self) { try d.value(forKey: "k", as: type) }
      return error?.code == .undecodable
    }
    d["k"] = [0.5]
    #expect(isUndecodable([Int].self))
    d["k"] = [300]
    #expect(isUndecodable([UInt8].self))
    d["k"] = [(1 << 53) + 1]
    #expect(isUndecodable([Double].self))
    d["k"] = [true]
    #expect(isUndecodable([Int].self))
  }
}
