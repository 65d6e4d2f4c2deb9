/// Finds the simplest cycle in a component, and names it.
struct CycleSearch {
  typealias Kinds = DependencyGraph.Kinds
  typealias Edge = DependencyGraph.Edge

  /// A class of cycles, by the dependencies that they consist of. The simplest classes are searched first.
  private struct Level {
    var kinds: Kinds
    /// The cycle has exactly one read-write dependency.
    var hasOneReadWrite = false
    var name: Anomaly.Kind
  }

  private static let levels: [Level] = {
    let orders: [(Kinds, [Anomaly.Kind])] = [
      ([], [.g0, .g1c, .gSingle, .g2Item]),
      (.time, [.g0Realtime, .g1cRealtime, .gSingleRealtime, .g2ItemRealtime]),
      ([.time, .call], [.g0Calls, .g1cCalls, .gSingleCalls, .g2ItemCalls]),
    ]
    return orders.flatMap { order, names in
      [
        Level(kinds: order.union(.writeWrite), name: names[0]),
        Level(kinds: order.union([.writeWrite, .writeRead]), name: names[1]),
        Level(kinds: order.union([.writeWrite, .writeRead]), hasOneReadWrite: true, name: names[2]),
        Level(kinds: order.union(.data), name: names[3]),
      ]
    }
  }()

  /// The number of nodes of a component that are tried as starts: a shortest cycle through one of them is readable.
  private static let tries = 64

  let transactionCount: Int

  /// Returns the simplest cycle in a strongly connected component.
  func simplest(in component: [Int32], _ adjacency: Adjacency) -> (Anomaly.Kind, [Edge])? {
    // Renumbers the nodes, so that the cost of the search depends on the size of the component only.
    var numbers: [Int32: Int32] = [:]
    for (number, node) in component.enumerated() { numbers[node] = Int32(number) }
    var edges: [Edge] = []
    for node in component {
      for index in adjacency.range(from: node) {
        guard let from = numbers[node], let to = numbers[adjacency[index].to] else { continue }
        edges.append(Edge(from: from, to: to, key: adjacency[index].key, kind: adjacency[index].kind))
      }
    }
    for level in Self.levels {
      guard let cycle = shortest(level, edges, component.count) else { continue }
      let original = cycle.map { edge in
        Edge(from: component[Int(edge.from)], to: component[Int(edge.to)], key: edge.key, kind: edge.kind)
      }
      return (isLostUpdate(level.name, original) ? .lostUpdate : level.name, original)
    }
    return nil
  }

  private func shortest(_ level: Level, _ edges: [Edge], _ count: Int) -> [Edge]? {
    let paths = Adjacency(nodeCount: count, edges.filter { level.kinds.contains($0.kind) })
    var best: [Edge]?
    if level.hasOneReadWrite {
      for edge in edges.lazy.filter({ $0.kind == .readWrite }).prefix(Self.tries * 8) {
        guard let path = path(from: edge.to, to: edge.from, paths) else { continue }
        if path.count + 1 < best?.count ?? .max { best = [edge] + path }
      }
      return best
    }
    for component in paths.cyclicComponents() {
      for node in component.prefix(Self.tries) {
        guard let cycle = path(from: node, to: node, paths) else { continue }
        if cycle.count < best?.count ?? .max { best = cycle }
      }
    }
    return best
  }

  /// Returns a shortest path of at least one edge, by breadth-first search.
  private func path(from start: Int32, to end: Int32, _ adjacency: Adjacency) -> [Edge]? {
    var cameBy = [Int](repeating: -1, count: adjacency.nodeCount)
    var queue = [start]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for index in adjacency.range(from: node) where cameBy[Int(adjacency[index].to)] < 0 {
        let target = adjacency[index].to
        cameBy[Int(target)] = index
        if target == end { return trace(cameBy, from: start, to: end, adjacency) }
        queue.append(target)
      }
    }
    return nil
  }

  private func trace(_ cameBy: [Int], from start: Int32, to end: Int32, _ adjacency: Adjacency) -> [Edge] {
    var path: [Edge] = []
    var node = end
    repeat {
      let edge = adjacency[cameBy[Int(node)]]
      path.append(edge)
      node = edge.from
    } while node != start
    return path.reversed()
  }

  /// Returns true if one transaction overwrote a value that the other had read before it wrote the same key.
  private func isLostUpdate(_ name: Anomaly.Kind, _ cycle: [Edge]) -> Bool {
    name == .gSingle && cycle.count == 2 && cycle.allSatisfy { $0.key == cycle[0].key }
      && cycle.contains { $0.kind == .writeWrite }
  }

  /// Describes the cycle without its helpers: `T1 ─ k3 written again by ─► T2 ─ …`.
  func describe(_ cycle: [Edge], _ history: History) -> (transactions: [Int], words: String) {
    var transactions: [Int] = []
    var words = ""
    var kind: Kinds?
    var key: Int32 = -1
    // Starts at a transaction, because the first node may be a helper.
    let first = cycle.firstIndex { $0.from < transactionCount } ?? 0
    for edge in cycle[first...] + cycle[..<first] {
      if edge.from < transactionCount {
        transactions.append(Int(edge.from))
        words += "T\(edge.from)"
        (kind, key) = (edge.kind, edge.key)
      }
      guard edge.to < transactionCount, let kind else { continue }
      words += " ─ \(name(kind, key)) ─► "
    }
    words += "T\(transactions.first ?? -1)"
    for transaction in transactions { words += "\n    " + history.describe(transaction) }
    return (transactions, words)
  }

  private func name(_ kind: Kinds, _ key: Int32) -> String {
    switch kind {
    case .writeWrite: "k\(key) written again by"
    case .writeRead: "k\(key) read by"
    case .readWrite: "k\(key) as read, then written by"
    case .time: "over before the call of"
    default: "queued before"
    }
  }
}
