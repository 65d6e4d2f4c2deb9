import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A lifetime as users write it: numbers with units, such as 1h30m or 1.5d; without a unit, seconds.
struct Lifetime: ExpressibleByArgument {
  let duration: Duration

  var seconds: Double { duration / .seconds(1) }

  /// The end of a lifetime that begins now. A transaction may run several times, so its end is taken once.
  var end: Date { Date(timeIntervalSinceNow: seconds) }

  /// The units, in seconds.
  private static let units: [(name: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800),
  ]
  /// The longest lifetime, in seconds: about a thousand years.
  private static let longest = 31_622_400_000.0

  static let form =
    "a lifetime is 1 ms to 1,000 years long, in seconds or with units, such as 90s, 1h30m or 2d (ms, s, m, h, d, w)"

  /// Returns nil if the text is no lifetime, or too short or long.
  init?(argument: String) {
    var rest = argument.utf8[...]
    var total = 0.0
    while !rest.isEmpty {
      let number = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
      rest = rest.dropFirst(number.count)
      let unit = rest.prefix { !((0x30...0x39).contains($0) || $0 == UInt8(ascii: ".")) }
      rest = rest.dropFirst(unit.count)
      guard let value = Double(String(Substring(number))), value.isFinite else { return nil }
      if unit.isEmpty {
        // Only a number alone is one of seconds.
        guard number.count == argument.utf8.count else { return nil }
        total = value
      } else {
        guard let unit = Self.units.first(where: { $0.name.utf8.elementsEqual(unit) }) else { return nil }
        total += value * unit.seconds
      }
    }
    guard total >= 0.001, total <= Self.longest else { return nil }
    duration = .milliseconds(Int64((total * 1_000).rounded()))
  }
}
