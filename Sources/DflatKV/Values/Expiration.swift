import DflatCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The instant at which a value expires, in milliseconds since 1970 in UTC.
struct Expiration: Hashable, Comparable, Sendable {
  let milliseconds: Int64

  /// An instant that has passed by any clock.
  static let past = Expiration(milliseconds: 0)

  init(milliseconds: Int64) { self.milliseconds = max(milliseconds, 0) }

  /// Creates the first instant that isn't before the end of a lifetime which begins now. A lifetime that ends beyond the
  /// range of numbers never ends.
  init(after lifetime: Duration, by clock: WallClock) {
    let (seconds, attoseconds) = lifetime.components
    let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
    let rest = attoseconds / attosecondsPerMillisecond + (attoseconds % attosecondsPerMillisecond > 0 ? 1 : 0)
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000)
    let (sum, isBeyond) = clock.now().addingReportingOverflow(whole)
    let (end, isAfter) = sum.addingReportingOverflow(rest)
    let limit: Int64 = seconds < 0 ? 0 : .max
    self.init(milliseconds: isTooLong || isBeyond || isAfter ? limit : end)
  }

  /// Creates the first instant that isn't before a date. A date that is no number is in the distant past.
  init(_ date: Date) {
    let exact = date.timeIntervalSince1970 * 1_000
    // A date is less exact than a number of milliseconds, so the date of an instant isn't always that number.
    let milliseconds = abs(exact - exact.rounded()) < max(0.001, 4 * exact.ulp) ? exact.rounded() : exact.rounded(.up)
    self.init(milliseconds: milliseconds > 0 ? milliseconds < 0x1p63 ? Int64(milliseconds) : .max : 0)
  }

  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

  static func < (a: Expiration, b: Expiration) -> Bool { a.milliseconds < b.milliseconds }

  // MARK: Stored form

  static let byteCount = 8

  /// Reads the stored form: eight bytes, the highest first, so that the order of the bytes is that of the instants.
  ///
  /// Returns nil for bytes that no writer has made.
  init?(stored bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    guard let milliseconds = Int64(exactly: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }) else { return nil }
    self.milliseconds = milliseconds
  }

  var stored: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (56 - 8 * Int64($0))) } }
}

extension CachedValue {
  /// Returns an encoded value that expires, instead of one that doesn't or does so at another instant; an absence
  /// unchanged.
  func expiring(at expiration: Expiration) -> CachedValue {
    isAbsent ? .absent : .boxed(ValueBox(.expiring(expiration, lasting)))
  }

  /// The instant at which the value expires; nil if it doesn't.
  @inline(__always)
  var expiration: Expiration? {
    if case .boxed(let box) = self, case .expiring(let expiration, _) = box.content { expiration } else { nil }
  }

  /// The same value without its expiration.
  @inline(__always)
  var lasting: CachedValue {
    if case .boxed(let box) = self, case .expiring(_, let value) = box.content { value } else { self }
  }

  /// Returns what readers get at an instant: an absence instead of a value that has expired.
  @inline(__always)
  func visible(at milliseconds: @autoclosure () -> Int64) -> CachedValue {
    guard case .boxed(let box) = self, case .expiring(let expiration, let value) = box.content else { return self }
    return expiration.milliseconds <= milliseconds() ? .absent : value
  }
}
