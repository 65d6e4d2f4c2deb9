import DflatBuffers
import DflatCore
import Foundation
import TestSupport
import Testing

/// Random values of a type that contains each construct.
@Suite struct RandomTests {
  /// flatc prints our bytes as JSON. `Comparison` then converts that JSON in all directions.
  @Test("Dflat, flatc and Python agree on random values") func valuesSurviveEveryWay() async throws {
    var generator = RichGenerator(random: .announced(for: "RandomTests"), hasStructs: false)
    let plain = (0..<100).map { _ in generator.rich(depth: 0) }
    generator.hasStructs = true
    let values = plain + (0..<100).map { _ in generator.rich(depth: 0) }
    let comparison = Comparison(Rich.Rich.self, schema: "rich", root: "Rich.Rich", hasVectorsOfUnions: true)
    let texts = try await comparison.json(of: values)
    try await comparison.check(
      zip(values, texts).enumerated().map {
        Sample(
          "value\($0.offset)", $0.element.0, $0.element.1, bytes: $0.offset < plain.count ? .equal : .padded)
      })
  }
}

/// Makes values from random numbers.
private struct RichGenerator {
  var random: SeededGenerator
  var hasStructs: Bool

  mutating func rich(depth: Int) -> Rich.Rich {
    Rich.Rich(
      yes: .random(using: &random), no: maybe { $0.bool() }, byte: integer(), small: maybe { $0.integer() },
      int: maybe { $0.integer() }, long: maybe { $0.integer() }, single: maybe { Float($0.fraction()) },
      twice: maybe { $0.fraction() },
      kind: maybe { $0.element(Rich.Kind.allCases) }, marks: maybe { $0.marks() }, maybe: maybe { $0.integer() },
      perhaps: maybe { $0.fraction() }, possibly: maybe { $0.element(Rich.Kind.allCases) }, text: maybe { $0.text() },
      needed: text(),
      outer: hasStructs ? maybe { $0.outer() } : nil, named: maybe { $0.named() }, any: maybe { $0.any(depth) },
      anys: vector { $0.any(depth) },
      bytes: vector { $0.integer() }, longs: vector { $0.integer() }, doubles: vector { $0.fraction() },
      kinds: vector { $0.element(Rich.Kind.allCases) }, outers: hasStructs ? vector { $0.outer() } : nil,
      texts: vector { $0.text() },
      nameds: vector { $0.named() }, self_: depth < 3 && chance(2) ? rich(depth: depth + 1) : nil)
  }

  private mutating func any(_ depth: Int) -> Rich.`Any` {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .named(named())
    case 1: return .again(named())
    default:
      let children = depth < 2 && chance(4) ? [rich(depth: depth + 1), rich(depth: depth + 2)] : []
      return .numbered(
        Rich.Numbered(number: integer(), inner: hasStructs ? maybe { $0.inner() } : nil, children: children))
    }
  }

  private mutating func named() -> Rich.Named { Rich.Named(name: maybe { $0.text() }, rank: maybe { $0.integer() }) }

  private mutating func inner() -> Rich.Inner { Rich.Inner(a: integer(), b: fraction()) }

  private mutating func outer() -> Rich.Outer {
    Rich.Outer(
      flag: .random(using: &random), inner: inner(), numbers: [integer(), integer(), integer()],
      kind: element(Rich.Kind.allCases))
  }

  private mutating func marks() -> Rich.Marks {
    [Rich.Marks.bold, .italic, .wavy].reduce(into: []) { if chance(2) { $0.insert($1) } }
  }

  // MARK: - Parts

  private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

  private mutating func bool() -> Bool { .random(using: &random) }

  private mutating func maybe<T>(_ make: (inout RichGenerator) -> T) -> T? { chance(3) ? nil : make(&self) }

  private mutating func element<T>(_ all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &random)] }

  private mutating func vector<T>(_ make: (inout RichGenerator) -> T) -> [T] {
    let count = chance(3) ? 0 : Int.random(in: 1...9, using: &random)
    return (0..<count).map { _ in make(&self) }
  }

  private mutating func integer<T: FixedWidthInteger>() -> T {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: [T.min, T.max, 0, 1].randomElement(using: &random)!
    default: T.random(in: T.min...T.max, using: &random)
    }
  }

  /// The number has few digits, because flatc prints no more than twelve.
  private mutating func fraction() -> Double { Double(Int.random(in: -9_999...9_999, using: &random)) / 8 }

  private mutating func text() -> String {
    let alphabet = ["a", "b", "\"", "\\", "\n", "\u{0}", "é", "\u{301}", "я", "世", "👩", "\u{10ffff}"]
    return (0..<Int.random(in: 0..<12, using: &random)).map { _ in element(alphabet) }.joined()
  }
}
