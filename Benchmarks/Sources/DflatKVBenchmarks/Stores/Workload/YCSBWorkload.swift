import ArgumentParser

/// The core workloads of the Yahoo! Cloud Serving Benchmark (Cooper et al., "Benchmarking cloud serving systems with YCSB", 2010).
enum YCSBWorkload: String, CaseIterable, Codable, ExpressibleByArgument {
  case a, b, c, d, e, f

  enum Operation {
    case read, update, insert, scan, modify
  }

  static let maximumScanLength = 100

  var title: String {
    switch self {
    case .a: "half reads, half updates of a field"
    case .b: "95 % reads, 5 % updates"
    case .c: "reads"
    case .d: "95 % reads of new records, 5 % inserts"
    case .e: "95 % scans of up to 100 records, 5 % inserts"
    case .f: "half reads, half reads that are written back changed"
    }
  }

  /// Returns the operation for a random number below 100.
  func operation(_ share: Int) -> Operation {
    switch self {
    case .a: share < 50 ? .read : .update
    case .b: share < 95 ? .read : .update
    case .c: .read
    case .d: share < 95 ? .read : .insert
    case .e: share < 95 ? .scan : .insert
    case .f: share < 50 ? .read : .modify
    }
  }

  /// True if the workload reads the newest records most, whatever the distribution.
  var prefersNewest: Bool { self == .d }
}
