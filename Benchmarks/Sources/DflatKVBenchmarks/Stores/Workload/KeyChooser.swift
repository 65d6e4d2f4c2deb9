import ArgumentParser

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How often which record is used.
enum KeyDistribution: String, CaseIterable, Codable, ExpressibleByArgument {
  case uniform
  /// A few records are used most, as by YCSB.
  case zipfian
}

/// Chooses the numbers of records.
struct KeyChooser {
  private let distribution: KeyDistribution
  private let prefersNewest: Bool
  private let records: Int
  private let zipfian: Zipfian

  /// Creates a chooser among the records that were loaded.
  init(_ distribution: KeyDistribution, for workload: YCSBWorkload, records: Int) {
    self.distribution = distribution
    prefersNewest = workload.prefersNewest
    self.records = records
    zipfian = Zipfian(count: distribution == .zipfian || workload.prefersNewest ? records : 2)
  }

  /// Returns the number of a record. `inserted` are the numbers that this thread has added, of which the last one is the newest.
  func next(_ random: inout SplitMix, inserted: Range<Int>) -> Int {
    if prefersNewest {
      let age = zipfian.rank(random.unit())
      return age < inserted.count ? inserted.upperBound - 1 - age : records - 1 - (age - inserted.count) % records
    }
    switch distribution {
    case .uniform: return Int(random.next() % UInt64(records))
    // The records that are used most are anywhere.
    case .zipfian: return Int(SplitMix.mixed(UInt64(zipfian.rank(random.unit()))) % UInt64(records))
    }
  }
}

/// Zipf's distribution with YCSB's constant, by the method of Gray et al., "Quickly generating billion-record synthetic
/// databases", 1994.
struct Zipfian {
  private static let constant = 0.99

  private let count: Double
  private let zeta: Double
  private let eta: Double

  init(count: Int) {
    let zeta = (1...count).reduce(0.0) { $0 + 1 / pow(Double($1), Self.constant) }
    let zetaOfTwo = 1 + 1 / pow(2, Self.constant)
    self.count = Double(count)
    self.zeta = zeta
    eta = (1 - pow(2 / Double(count), 1 - Self.constant)) / (1 - zetaOfTwo / zeta)
  }

  /// Returns the rank for a number from 0 up to 1. Low ranks are the most frequent ones.
  func rank(_ unit: Double) -> Int {
    let scaled = unit * zeta
    if scaled < 1 { return 0 }
    if scaled < 1 + pow(0.5, Self.constant) { return 1 }
    return min(Int(count * pow(eta * unit - eta + 1, 1 / (1 - Self.constant))), Int(count) - 1)
  }
}
