/// The constraints on the order of transactions in any serial execution. The nodes are the transactions, followed by
/// helpers that represent all transactions that had ended by some time.
struct DependencyGraph {
  struct Kinds: OptionSet {
    let rawValue: UInt8
    /// The later transaction overwrote a write of the earlier one.
    static let writeWrite = Kinds(rawValue: 1)
    /// The later transaction read a write of the earlier one.
    static let writeRead = Kinds(rawValue: 2)
    /// The later transaction overwrote a value that the earlier one read.
    static let readWrite = Kinds(rawValue: 4)
    /// The earlier transaction was over before the later one was called.
    static let time = Kinds(rawValue: 8)
    /// Both transactions share a lane, and the earlier one's call had returned before the later one was called.
    static let call = Kinds(rawValue: 16)

    static let data: Kinds = [.writeWrite, .writeRead, .readWrite]
  }

  struct Edge {
    var from: Int32
    var to: Int32
    /// The key of the dependency; negative for `time` and `call`.
    var key: Int32
    var kind: Kinds
  }

  let transactionCount: Int
  private(set) var nodeCount: Int
  private(set) var edges: [Edge] = []

  init(transactionCount: Int) {
    self.transactionCount = transactionCount
    nodeCount = transactionCount
  }

  mutating func addHelper() -> Int32 {
    nodeCount += 1
    return Int32(nodeCount - 1)
  }

  mutating func add(_ kind: Kinds, from: Int32, to: Int32, key: Int32 = -1) {
    if from != to { edges.append(Edge(from: from, to: to, key: key, kind: kind)) }
  }

  struct Interval {
    var transaction: Int32
    var begin: UInt64
    var end: UInt64
  }

  /// Orders each transaction after all those that end before it begins. Helpers keep the number of edges linear: each
  /// stands for all transactions that had ended by then.
  mutating func addOrder(_ intervals: [Interval], _ kind: Kinds) {
    let ends = intervals.filter { $0.end != History.never }.sorted { $0.end < $1.end }
    var next = 0
    var last: Int32?
    for interval in intervals.sorted(by: { $0.begin < $1.begin }) {
      if next < ends.count, ends[next].end < interval.begin {
        let helper = addHelper()
        if let last { add(kind, from: last, to: helper) }
        while next < ends.count, ends[next].end < interval.begin {
          add(kind, from: ends[next].transaction, to: helper)
          next += 1
        }
        last = helper
      }
      if let last { add(kind, from: last, to: interval.transaction) }
    }
  }
}

/// The edges, sorted by their start nodes.
struct Adjacency {
  let nodeCount: Int
  private let starts: [Int32]
  private let sorted: [DependencyGraph.Edge]

  init(nodeCount: Int, _ edges: [DependencyGraph.Edge]) {
    self.nodeCount = nodeCount
    var starts = [Int32](repeating: 0, count: nodeCount + 1)
    for edge in edges { starts[Int(edge.from) + 1] += 1 }
    for node in 0..<nodeCount { starts[node + 1] += starts[node] }
    var free = starts
    var sorted = edges
    for edge in edges {
      sorted[Int(free[Int(edge.from)])] = edge
      free[Int(edge.from)] += 1
    }
    self.starts = starts
    self.sorted = sorted
  }

  func range(from node: Int32) -> Range<Int> { Int(starts[Int(node)])..<Int(starts[Int(node) + 1]) }

  subscript(index: Int) -> DependencyGraph.Edge { sorted[index] }

  /// Returns the strongly connected components of more than one node, by Tarjan's algorithm with an explicit stack.
  func cyclicComponents() -> [[Int32]] {
    var components: [[Int32]] = []
    var index = [Int32](repeating: -1, count: nodeCount)
    var low = [Int32](repeating: 0, count: nodeCount)
    var isOpen = [Bool](repeating: false, count: nodeCount)
    var open: [Int32] = []
    var calls: [(node: Int32, next: Int)] = []
    var counter: Int32 = 0

    for root in 0..<Int32(nodeCount) where index[Int(root)] < 0 {
      calls.append((root, -1))
      while let call = calls.last {
        let node = Int(call.node)
        let range = range(from: call.node)
        if call.next < 0 {
          index[node] = counter
          low[node] = counter
          counter += 1
          open.append(call.node)
          isOpen[node] = true
          calls[calls.count - 1].next = range.lowerBound
          continue
        }
        if call.next < range.upperBound {
          let target = sorted[call.next].to
          calls[calls.count - 1].next += 1
          if index[Int(target)] < 0 {
            calls.append((target, -1))
          } else if isOpen[Int(target)] {
            low[node] = min(low[node], index[Int(target)])
          }
          continue
        }
        calls.removeLast()
        if let caller = calls.last { low[Int(caller.node)] = min(low[Int(caller.node)], low[node]) }
        guard low[node] == index[node] else { continue }
        var component: [Int32] = []
        repeat {
          let member = open.removeLast()
          isOpen[Int(member)] = false
          component.append(member)
          if member == call.node { break }
        } while true
        if component.count > 1 { components.append(component) }
      }
    }
    return components
  }
}
