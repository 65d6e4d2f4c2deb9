import Foundation

/// Measures stores, one after the other in each round, so that a slow minute of the machine meets all of them.
struct StoreRun {
  /// A number of processes with a number of threads each.
  struct Layout: Hashable {
    var processes: Int
    var threads: Int
  }

  var stores = StoreName.allCases
  var kinds = RecordKind.allCases
  var records = [1_000, 1_000_000]
  var distributions = KeyDistribution.allCases
  var workloads = YCSBWorkload.allCases
  var layouts = [Layout(processes: 1, threads: 1), Layout(processes: 1, threads: 2), Layout(processes: 4, threads: 1)]
  var durabilities = [StoreDurability.process]
  var seconds = 1.0
  var rounds = 3
  let scratch: ScratchFolder
  /// Receives the state after each setting.
  var progress: (StoreResults) throws -> Void = { _ in }

  /// The distance of the numbers that runs on one file insert.
  private static let insertsPerRun = 1_000_000_000

  func results() throws -> StoreResults {
    var results = StoreResults(seconds: seconds, rounds: rounds)
    var runs = 0
    for kind in kinds {
      for count in records {
        let paths = try load(kind, count, &results)
        defer { for path in paths.values { scratch.removeDatabase(at: path) } }
        for setting in settings(kind, count) {
          results.rows += try measure(setting, paths, &runs)
          try progress(results)
        }
      }
    }
    return results
  }

  private func load(_ kind: RecordKind, _ count: Int, _ results: inout StoreResults) throws -> [StoreName: String] {
    var paths: [StoreName: String] = [:]
    for store in stores where paths[store.file] == nil {
      let path = try scratch.newDatabasePath()
      paths[store.file] = path
      let work = StoreWork(store.file, at: path, kind, records: count)
      let start = MonotonicClock.nanoseconds
      try StoreProcesses.load(work)
      results.loads.append(
        .init(
          kind: kind, records: count, store: store.file, seconds: Double(MonotonicClock.nanoseconds - start) / 1e9,
          fileBytes: try FileSize.onDisk(inFolderOf: path)))
    }
    return paths
  }

  private func settings(_ kind: RecordKind, _ records: Int) -> [StoreResults.Setting] {
    durabilities.flatMap { durability in
      distributions.flatMap { distribution in
        layouts.flatMap { layout in
          workloads.map { workload in
            StoreResults.Setting(
              kind: kind, records: records, distribution: distribution, durability: durability,
              processes: layout.processes, threads: layout.threads, workload: workload)
          }
        }
      }
    }
  }

  private func measure(
    _ setting: StoreResults.Setting, _ paths: [StoreName: String], _ runs: inout Int
  ) throws -> [StoreResults.Row] {
    let measured = stores.filter {
      $0.supports(setting.workload, processes: setting.processes, durability: setting.durability)
    }
    var measurements: [StoreName: [StoreMeasurement]] = [:]
    for round in 0..<rounds {
      // Each store comes first once.
      for index in measured.indices {
        let store = measured[(index + round) % measured.count]
        guard let path = paths[store.file] else { throw BenchmarkFailure("\(store.title) isn't filled") }
        runs += 1
        var work = StoreWork(store, at: path, setting.kind, records: setting.records)
        (work.workload, work.distribution) = (setting.workload, setting.distribution)
        (work.durability, work.threads, work.seconds) = (setting.durability, setting.threads, seconds)
        work.firstInsert = runs * Self.insertsPerRun
        measurements[store, default: []].append(try StoreProcesses.run(work, processes: setting.processes))
      }
    }
    return measured.map { store in
      row(setting, store, measurements[store] ?? [], baseline: measurements[.baseline])
    }
  }

  private func row(
    _ setting: StoreResults.Setting, _ store: StoreName, _ measurements: [StoreMeasurement],
    baseline: [StoreMeasurement]?
  ) -> StoreResults.Row {
    var latencies = LatencyHistogram()
    for measurement in measurements { latencies.add(measurement.latencies) }
    let ratios = baseline.map { baseline in
      Samples(zip(measurements, baseline).map { $0.operationsPerSecond / $1.operationsPerSecond }).median
    }
    return StoreResults.Row(
      setting: setting, store: store, operationsPerSecond: Samples(measurements.map(\.operationsPerSecond)).median,
      ratio: ratios, p50: latencies.quantile(0.5) ?? 0, p99: latencies.quantile(0.99) ?? 0,
      p999: latencies.quantile(0.999) ?? 0, peakMemory: measurements.map(\.peakMemory).max() ?? 0)
  }
}
