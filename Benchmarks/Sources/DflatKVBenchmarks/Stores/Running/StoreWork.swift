/// The work of one process on a store.
struct StoreWork: Codable {
  var store: StoreName
  var path: String
  var kind: RecordKind
  /// The number of records that are loaded.
  var records: Int
  var workload = YCSBWorkload.c
  var distribution = KeyDistribution.uniform
  var durability = StoreDurability.process
  var threads = 1
  /// The number of threads in the processes before this one.
  var firstThread = 0
  /// The number of threads in all processes.
  var allThreads = 1
  /// The number of the first record that is inserted.
  var firstInsert = 0
  var seconds = 1.0

  init(_ store: StoreName, at path: String, _ kind: RecordKind, records: Int) {
    (self.store, self.path, self.kind, self.records) = (store, path, kind, records)
  }
}

/// The measurements of one process.
struct StoreMeasurement: Codable {
  var operations = 0
  var seconds = 0.0
  var latencies = LatencyHistogram()
  /// The most memory that the process has had, in bytes, with the pages of files that it maps.
  var peakMemory = 0

  /// Adds what another process measured at the same time.
  mutating func add(_ other: StoreMeasurement) {
    operations += other.operations
    seconds = max(seconds, other.seconds)
    latencies.add(other.latencies)
    peakMemory += other.peakMemory
  }

  var operationsPerSecond: Double { Double(operations) / seconds }
}
