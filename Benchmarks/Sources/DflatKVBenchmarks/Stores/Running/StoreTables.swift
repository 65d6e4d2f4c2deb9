import Foundation

/// Formats the results of a comparison of stores as Markdown.
struct StoreTables {
  let results: StoreResults

  /// The conditions that the tables of one section share.
  private struct Section: Hashable {
    var kind: RecordKind
    var records: Int
  }

  /// The conditions that the rows of one table share.
  fileprivate struct Group: Hashable {
    var distribution: KeyDistribution
    var durability: StoreDurability
    var processes: Int
    var threads: Int
  }

  var text: String {
    let machine = results.machine
    let head =
      "Measured on \(machine.system), \(machine.cores) cores, \(results.versions.joined(separator: ", ")), release build; "
      + "\(results.rounds) rounds of \(String(format: "%g", results.seconds)) s each."
    let sections = unique(results.rows.map { Section(kind: $0.setting.kind, records: $0.setting.records) })
    return ([head] + sections.flatMap(parts(of:))).joined(separator: "\n\n") + "\n"
  }

  private func parts(of section: Section) -> [String] {
    let rows = results.rows.filter { $0.setting.kind == section.kind && $0.setting.records == section.records }
    let loads = results.loads.filter { $0.kind == section.kind && $0.records == section.records }
    let groups = unique(rows.map { Group($0.setting) })
    return ["### \(Readable.grouped(section.records)) records of \(section.kind.title)", table(of: loads)]
      + groups.flatMap { group -> [String] in
        let rows = rows.filter { Group($0.setting) == group }
        return [group.title, throughput(rows), "Latencies of workload A: median / 99 % / 99.9 %, and the most memory:"]
          + [latencies(rows.filter { $0.setting.workload == .a })]
      }
  }

  private func table(of loads: [StoreResults.Load]) -> String {
    MarkdownTable.text(
      ["store", "filled in", "files"],
      loads.map { load in
        [
          load.store == .dictionary ? "DflatKV, dictionary" : load.store.title, String(format: "%.1f s", load.seconds),
          Readable.size(load.fileBytes),
        ]
      })
  }

  private func throughput(_ rows: [StoreResults.Row]) -> String {
    let workloads = YCSBWorkload.allCases.filter { workload in rows.contains { $0.setting.workload == workload } }
    return MarkdownTable.text(
      ["operations per second"] + workloads.map { $0.rawValue.uppercased() },
      stores(in: rows).map { store in
        [store.title]
          + workloads.map { workload in
            guard let row = rows.first(where: { $0.store == store && $0.setting.workload == workload }) else {
              return "–"
            }
            let ratio = row.ratio.map { String(format: $0 < 9.95 ? " (%.1f ×)" : " (%.0f ×)", $0) } ?? ""
            return Readable.grouped(Int(row.operationsPerSecond)) + ratio
          }
      })
  }

  private func latencies(_ rows: [StoreResults.Row]) -> String {
    MarkdownTable.text(
      ["store", "latencies", "memory"],
      rows.map { row in
        [
          row.store.title, [row.p50, row.p99, row.p999].map(Readable.duration).joined(separator: " / "),
          Readable.size(row.peakMemory),
        ]
      })
  }

  private func stores(in rows: [StoreResults.Row]) -> [StoreName] {
    StoreName.allCases.filter { store in rows.contains { $0.store == store } }
  }

  private func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
    var seen: Set<Element> = []
    return elements.filter { seen.insert($0).inserted }
  }
}

extension StoreTables.Group {
  fileprivate init(_ setting: StoreResults.Setting) {
    self.init(
      distribution: setting.distribution, durability: setting.durability, processes: setting.processes,
      threads: setting.threads)
  }

  fileprivate var title: String {
    let place =
      processes == 1
      ? (threads == 1 ? "one thread" : "\(threads) threads") : "\(processes) processes of \(threads) thread"
    let keys = distribution == .uniform ? "All records are used equally" : "A few records are used most"
    return "**\(keys), \(place)\(durability == .power ? ", each commit waits for the disk" : "").**"
  }
}
