import DflatEntities
import GoldenModels
import TestSupport

/// Random values, the extremes among them, and few of each type so that objects share values.
enum RandomSamples {
  static let texts = [
    "", "a", "ab", "a\0", "a\0b", "b", "\u{e9}", "e\u{301}", "z", "\u{d7ff}", "\u{e000}", "\u{10ffff}", "日本",
    "abcdefgh",
    "abcdefghi", "abcdefghj", "abcdefgh\0",
    // Texts that differ in case, some of them in their length, too.
    "A", "AB", "\u{c9}", "E\u{301}", "\u{130}", "i\u{307}", "\u{df}", "SS", "\u{3a3}", "\u{3c2}", "\u{212a}b", "kB",
    "xabab\u{c9}b",
  ]
  static let reals: [Double] = [
    .nan, .infinity, -.infinity, 0, -0.0, 1, 1.5, -1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 3,
  ]
  static let floats: [Float] = reals.map { Float($0) }
  static let levels: [QuerySamples.Level] = [.low, .middle, .high, .top]
  static let wides: [QuerySamples.Wide] = [.small, .large]

  static func integers<T: FixedWidthInteger>(_ type: T.Type) -> [T] {
    [T.min, T.min + 1, 0, 1, 2, 5, 100, T.max - 1, T.max]
  }

  static func point(_ generator: inout SeededGenerator) -> QuerySamples.Point {
    QuerySamples.Point(
      x: pick(floats, &generator),
      inner: QuerySamples.Inner(a: pick(integers(Int32.self), &generator), level: pick(levels, &generator)),
      big: pick(integers(UInt64.self), &generator))
  }

  static func detail(_ generator: inout SeededGenerator) -> QuerySamples.Detail {
    QuerySamples.Detail(
      name: maybe(texts, &generator), rank: pick(integers(Int32.self), &generator),
      point: Bool.random(using: &generator) ? point(&generator) : nil, labels: several(texts, &generator))
  }

  static func content(_ generator: inout SeededGenerator) -> QuerySamples.Content? {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1:
      .textPart(
        QuerySamples.TextPart(text: maybe(texts, &generator), size: pick(integers(Int32.self), &generator)))
    case 2: .spot(point(&generator))
    case 3: .caption(pick(texts, &generator))
    case 4: .note(detail(&generator))
    default: nil
    }
  }

  static func sample(_ number: Int, _ generator: inout SeededGenerator) -> Sample {
    Sample(
      id: "\(pick(texts, &generator))\(number)", flag: Bool.random(using: &generator),
      tiny: pick(integers(Int8.self), &generator), unsignedTiny: pick(integers(UInt8.self), &generator),
      small: pick(integers(Int16.self), &generator), unsignedSmall: pick(integers(UInt16.self), &generator),
      number: pick(integers(Int32.self), &generator), unsignedNumber: pick(integers(UInt32.self), &generator),
      large: pick(integers(Int64.self), &generator), unsignedLarge: pick(integers(UInt64.self), &generator),
      real: pick(floats, &generator), precise: pick(reals, &generator), text: maybe(texts, &generator),
      code: number % 3 == 0 ? nil : "code\(number)", optionalFlag: maybe([true, false], &generator),
      optionalNumber: maybe(integers(Int32.self), &generator), optionalReal: maybe(reals, &generator),
      level: pick(levels, &generator), optionalLevel: maybe(levels, &generator), wide: pick(wides, &generator),
      point: Bool.random(using: &generator) ? point(&generator) : nil,
      detail: Bool.random(using: &generator) ? detail(&generator) : nil, content: content(&generator),
      plain: pick([1, 2, 3], &generator), tags: several(texts, &generator),
      numbers: several(integers(Int32.self), &generator), reals: several(reals, &generator),
      levels: several(levels, &generator))
  }

  static func pick<T>(_ values: [T], _ generator: inout SeededGenerator) -> T {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  /// Returns up to three values.
  static func several<T>(_ values: [T], _ generator: inout SeededGenerator) -> [T] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in pick(values, &generator) }
  }

  static func maybe<T>(_ values: [T], _ generator: inout SeededGenerator) -> T? {
    Int.random(in: 0..<4, using: &generator) == 0 ? nil : pick(values, &generator)
  }
}
