import DflatKV
import Foundation
import TestSupport
import Testing

@Suite("Integer widths") struct IntegerWidthTests {
  private func reads<T: DictionaryNativeValue>(_ type: T.Type, _ value: StoredValue) throws -> T? {
    let test = try TestWorkspace()
    test.dictionary["k"] = value
    do { return try test.dictionary.value(forKey: "k", as: type) } catch let error as WorkspaceError {
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
    #expect(try reads(UInt.self, .int(-1)) == nil)
    #expect(try reads(Int64.self, .uint(UInt64(Int64.max) + 1)) == nil)
    #expect(try reads(UInt16.self, .uint(65_536)) == nil)
  }

  @Test("Reads convert values between integer types only") func noOtherConversion() throws {
    #expect(try reads(Int.self, .bool(true)) == nil)
    #expect(try reads(Bool.self, .int(1)) == nil)
    #expect(try reads(Double.self, .float(1)) == nil)
    #expect(try reads(Float.self, .double(1)) == nil)
    #expect(try reads(Double.self, .int(1)) == nil)
    #expect(try reads(Int.self, .double(1)) == nil)
    #expect(try reads(String.self, .data(Data("a".utf8))) == nil)
    #expect(try reads(Data.self, .string("a")) == nil)
  }
}
