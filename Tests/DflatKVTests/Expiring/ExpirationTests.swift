import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

@Suite(.timeLimit(.minutes(15))) struct ExpirationTests {
  private let clock = WallClock { 1_000 }

  @Test(
    "A lifetime ends at the first millisecond that isn't before it",
    arguments: [
      (Duration.zero, 1_000), (.milliseconds(1), 1_001), (.nanoseconds(1), 1_001), (.microseconds(1_500), 1_002),
      (.seconds(2), 3_000), (.milliseconds(-1), 999), (.microseconds(-1_500), 999), (.seconds(-2), 0),
      (.seconds(Int64.max), Int64.max), (.seconds(Int64.max / 1_000), Int64.max), (.seconds(Int64.min), 0),
      (Duration(secondsComponent: 1, attosecondsComponent: 1), 2_001),
    ] as [(Duration, Int64)])
  func lifetime(duration: Duration, milliseconds: Int64) {
    #expect(Expiration(after: duration, by: clock).milliseconds == milliseconds)
  }

  @Test("A lifetime from the last instant of the clock doesn't overflow")
  func lastInstant() {
    #expect(Expiration(after: .seconds(1), by: WallClock { .max }).milliseconds == .max)
    #expect(Expiration(after: .seconds(-1), by: WallClock { .max }).milliseconds == .max - 1_000)
    #expect(Expiration(after: .seconds(-1), by: WallClock { .min }).milliseconds == 0)
  }

  @Test(
    "A date of any value is an instant",
    arguments: [
      (0, 0), (1.5, 1_500), (1.0001, 1_001), (-1, 0), (1e300, Int64.max), (-1e300, 0), (.infinity, Int64.max),
      (-.infinity, 0), (.nan, 0), (9.3e15, Int64.max),
    ] as [(Double, Int64)])
  func date(seconds: Double, milliseconds: Int64) {
    #expect(Expiration(Date(timeIntervalSince1970: seconds)).milliseconds == milliseconds)
  }

  @Test("The date of an instant is that instant")
  func roundTrip() {
    var random = SeededGenerator.announced(for: "expirations")
    for _ in 0..<10_000 {
      let expiration = Expiration(milliseconds: .random(in: 0...200_000_000_000_000, using: &random))
      #expect(Expiration(expiration.date) == expiration)
    }
  }

  @Test("The stored form has the order of the instants, and is read back")
  func storedForm() throws {
    var random = SeededGenerator.announced(for: "stored expirations")
    var instants = (0..<1_000).map { _ in
      Int64.random(in: 0...Int64.max >> Int64.random(in: 0..<63, using: &random), using: &random)
    }
    instants += [0, 1, 255, 256, .max]
    let sorted = instants.sorted().map { Expiration(milliseconds: $0) }
    for (earlier, later) in zip(sorted, sorted.dropFirst()) where earlier != later {
      #expect(earlier.stored.lexicographicallyPrecedes(later.stored))
    }
    for expiration in sorted { #expect(Expiration(stored: expiration.stored) == expiration) }
    #expect(Expiration(stored: [UInt8](repeating: 0xff, count: 8)) == nil)
    #expect(Expiration(stored: [UInt8](repeating: 0, count: 7)) == nil)
    #expect(Expiration(stored: [UInt8](repeating: 0, count: 9)) == nil)
  }
}
