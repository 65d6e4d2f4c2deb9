import DflatBuffers
import DflatEntities
import Foundation
import GoldenModels
import Testing

@Suite struct TableTests {
  typealias T = Golden.Tables

  static let scalars = T.Scalars(
    flag: true, tiny: .min, unsignedTiny: .max, small: .min, unsignedSmall: .max, number: .min, unsignedNumber: .max,
    large: .min, unsignedLarge: .max, real: -1.5, precise: .pi, sized: 7, sizedFloat: -0.0)

  @Test("Scalars of each type are read back") func scalarsAreReadBack() throws {
    try expectRoundTrip(Self.scalars)
    try expectRoundTrip(T.Scalars())
  }

  @Test("Nested tables are read back") func nestedTablesAreReadBack() throws {
    try expectRoundTrip(T.Nested(scalars: Self.scalars, empty: T.Empty(), name: "n", only: T.OnlyDeprecated()))
    try expectRoundTrip(T.Nested(name: ""))
    try expectRoundTrip(T.Original(a: 1, b: 2, c: "3", d: 4))
  }

  @Test("An empty table differs from an absent one") func anEmptyTableIsNotAnAbsentOne() throws {
    #expect(try T.Nested(data: T.Nested(empty: T.Empty()).toData()).empty == T.Empty())
    #expect(try T.Nested(data: T.Nested().toData()).empty == nil)
  }

  @Test("Tables have the versions of the schema") func versionsAreTheSchemas() {
    #expect(T.Nested.flatBuffersSchemaVersion == "2.0_beta")
    #expect(T.Scalars.flatBuffersSchemaVersion == nil)
  }

  @Test("Primary fields come first in the initializer") func primaryFieldsComeFirst() throws {
    try expectRoundTrip(T.Keyed(key: 1, second: "two", title: nil))
  }

  @Test("The properties of a table can be changed") func propertiesCanBeChanged() throws {
    var nested = T.Nested(name: "a")
    nested.name = nil
    nested.scalars = T.Scalars(number: 3)
    nested.scalars?.number += 1
    #expect(try T.Nested(data: nested.toData()).scalars?.number == 4)
  }

  @Test("Ids determine the slots of fields") func idsDecideSlots() throws {
    typealias I = Golden.Ids
    try expectRoundTrip(
      I.Reordered(last: 1, content: .raw("c"), first: "f", list: [.text(I.Text(text: "t")), .raw("")]))
    try expectRoundTrip(I.Sorted(name: "n", hashed: 5, value: 2))
    let data = try buffer(slots: 9) { $0.add(Int32(42), at: 16, default: 0) }
    #expect(try I.Reordered(data: data) == I.Reordered(last: 42))
  }

  @Test("The bytes of a deprecated field are ignored") func deprecatedBytesAreIgnored() throws {
    let data = try buffer(slots: 9) { $0.add(Int64(42), at: 14, default: 0) }
    #expect(try Golden.Ids.Reordered(data: data) == Golden.Ids.Reordered())
  }
}

@Suite struct VectorTests {
  typealias V = Golden.Vectors

  @Test("Vectors of each element type are read back") func everyKindOfElementIsReadBack() throws {
    try expectRoundTrip(
      V.Vectors(
        flags: [true, false], bytes: Array(0...255), signed: [-1, 0, 1], shorts: [.min], numbers: [.max, .min],
        large: [.max], reals: [0.5, -.infinity], precise: [.leastNonzeroMagnitude], colors: [.blue, .red],
        options: [[], .two, [.one, .two]], strings: ["", "a", "ü€😀"], points: [V.Point(x: 1, y: 2), V.Point()],
        inners: [V.Inner(text: "i"), V.Inner()], contents: [.text("t"), .point(V.Point(x: 3)), .inner(V.Inner())],
        aligned: [1, 2, 3], shared: "s", alignedStrings: ["a"], alignedInners: [V.Inner()],
        alignedContents: [.text("t"), .inner(V.Inner())]))
  }

  @Test("Empty vectors take no space") func emptyVectorsTakeNoSpace() throws {
    try expectRoundTrip(V.Vectors())
    #expect(V.Vectors(flags: [], strings: [], contents: []).toData() == V.Vectors().toData())
  }

  @Test("Equal shared strings are written once") func equalSharedStringsAreWrittenOnce() {
    let text = String(repeating: "long ", count: 20)
    let shared = V.Vectors(shared: text, alsoShared: text).toData()
    #expect(shared.count < 2 * text.utf8.count)
    #expect(V.Vectors(strings: [text, text]).toData().count > 2 * text.utf8.count)
  }
}

@Suite struct DefaultTests {
  typealias D = Golden.Defaults

  /// NaN is not equal to itself, so the test compares descriptions.
  @Test("The initializer and absent fields give the defaults of the schema")
  func initializerAndAbsentBytesHaveTheSchemasDefaults() throws {
    let made = D.Defaults()
    let read = try D.Defaults(data: buffer(slots: 23) { _ in })
    #expect("\(made)" == "\(read)")
    #expect(made.flag && !made.off)
    #expect(made.tiny == .min && made.small == .max && made.number == 1_000_000 && made.tenMillion == 10_000_000)
    #expect(made.large == .min && made.largest == .max)
    #expect(made.real == 1.5 && made.tenth == 0.1 && made.precise == .pi && made.tinyReal == 1e-300 && made.whole == 3)
    #expect(made.infinite == .infinity && made.negative == -.infinity && made.notNumber.isNaN && made.nanToo.isNaN)
    #expect(made.color == .blue && made.first == .red)
    #expect(made.text == "hello" && made.escapes == "a \"quoted\" \\ back\nslash\ttabé" && made.empty.isEmpty)
    #expect(made.list.isEmpty)
  }

  @Test("A nil argument of the initializer stands for the default") func nilIsTheDefault() {
    let made = D.Defaults(flag: nil, number: nil, color: nil, text: nil, list: nil)
    #expect(made.flag && made.number == 1_000_000 && made.color == .blue && made.text == "hello" && made.list == [])
  }

  @Test("Values other than the defaults are read back") func otherValuesAreReadBack() throws {
    try expectRoundTrip(
      D.Defaults(
        flag: false, off: true, tiny: 0, small: 0, number: 0, tenMillion: 0, large: 0, largest: 0, real: 0, tenth: 0,
        precise: 0, tinyReal: 0, whole: 0, infinite: 0, negative: 0, notNumber: 0, nanToo: 0, color: .red,
        first: .green,
        text: "", escapes: "", empty: "x", list: [1]))
  }

  @Test("An empty string is not read as the field's default")
  func aStringsDefaultIsNotConfusedWithAnEmptyString() throws {
    let value = D.Defaults(notNumber: 1, nanToo: 1, text: "")
    #expect(try D.Defaults(data: value.toData()).text == "")
  }
}

@Suite struct OptionalTests {
  typealias O = Golden.Optionals

  @Test("An absent optional scalar differs from zero") func absenceIsNotZero() throws {
    let zeros = O.Optionals(
      flag: false, tiny: 0, number: 0, large: 0, real: 0, precise: 0, color: .red, option: [], plain: 0)
    try expectRoundTrip(zeros)
    try expectRoundTrip(O.Optionals())
    #expect(zeros != O.Optionals())
    #expect(try O.Optionals(data: O.Optionals().toData()).flag == nil)
    #expect(try O.Optionals(data: zeros.toData()).flag == false)
  }

  @Test("An unknown value of an optional enum is read as absent") func anUnknownEnumValueIsAbsent() throws {
    let data = try buffer(slots: 9) { $0.add(Int8(9), at: 16, default: 0) }
    #expect(try O.Optionals(data: data).color == nil)
  }
}

@Suite struct RequiredTests {
  typealias R = Golden.Required

  static let outer = R.Outer(
    title: "t", inner: R.Inner(text: "i"), point: R.Point(x: 1), content: .text("c"), numbers: [], names: ["n"],
    contents: [])

  @Test("Required fields are read back even if they are empty") func requiredFieldsAreReadBackEvenEmpty() throws {
    try expectRoundTrip(Self.outer)
    try expectRoundTrip(R.Outer(title: "", inner: R.Inner(text: ""), point: R.Point(), content: .text("")))
  }

  @Test("Required fields have non-optional types") func theTypesAreNotOptional() {
    let title: String = Self.outer.title
    let content: R.Content = Self.outer.content
    let point: R.Point = Self.outer.point
    #expect(title == "t" && content == .text("c") && point.x == 1)
  }

  /// Removes the field from the vtable.
  @Test(
    "The absence of a required field is an error that names it",
    arguments: [
      (4, "title"), (8, "inner"), (10, "point"), (14, "content"), (16, "numbers"), (18, "names"), (22, "contents"),
    ])
  func absenceIsAnError(slot: Int, field: String) throws {
    var data = Self.outer.toData()
    let root = Int(data.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
    let distance = Int(data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: root, as: Int32.self) })
    let entry = root - distance + slot
    #expect(data[entry] != 0)
    data.replaceSubrange(entry..<entry + 2, with: [0, 0])
    let error = #expect(throws: FlatBufferError.self) { try R.Outer(data: data) }
    #expect(error?.table == "Golden.Required.Outer")
    #expect(error?.field == field)
  }
}

@Suite struct NestedTests {
  typealias N = Golden.Nested

  @Test("The root of nested bytes can be read") func theRootOfNestedBytesIsRead() throws {
    let payload = N.Payload(text: "p", number: 3)
    let inner = N.Envelope(id: 2, again: [])
    let outer = N.Envelope(id: 1, payload: [UInt8](payload.toData()), again: [UInt8](inner.toData()))
    try expectRoundTrip(N.Letter(payload: [UInt8](payload.toData())))
    #expect(try outer.payloadNestedRoot() == payload)
    #expect(try outer.againNestedRoot()?.id == 2)
    #expect(try inner.payloadNestedRoot() == nil)
  }

  @Test("Damaged nested bytes are an error, both in reading and in writing") func damagedNestedBytesAreAnError() {
    let letter = N.Letter(payload: [1, 2, 3])
    #expect(throws: FlatBufferError.self) { try letter.payloadNestedRoot() }
    // A buffer that contains them couldn't be read again.
    #expect(throws: FlatBufferError.self) {
      var builder = FlatBufferBuilder()
      _ = try letter.encoded(with: &builder)
    }
  }
}
