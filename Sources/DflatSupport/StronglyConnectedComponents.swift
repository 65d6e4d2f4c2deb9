/// Returns the number of each node's strongly connected component in a directed graph: two nodes have the same number if
/// each leads to the other. No node leads to a component with a higher number than its own.
///
/// The time is linear. It is Tarjan's algorithm with an explicit stack, because paths may be longer than the thread's
/// stack permits.
///
/// - Parameter successors: The nodes that each node leads to.
package func stronglyConnectedComponents(of successors: [[Int]]) -> [Int] {
  // -1 stands for nodes that haven't been visited, and for components that aren't complete.
  var components = [Int](repeating: -1, count: successors.count)
  var orders = components
  var lowest = components
  var visitedCount = 0
  var componentCount = 0
  var open: [Int] = []
  var calls: [(node: Int, next: Int)] = []
  for start in successors.indices where orders[start] < 0 {
    calls.append((start, 0))
    while let (node, next) = calls.last {
      if next == 0 {
        orders[node] = visitedCount
        lowest[node] = visitedCount
        visitedCount += 1
        open.append(node)
      }
      // Visit the next successor, if there is one left.
      if next < successors[node].count {
        calls[calls.count - 1].next += 1
        let successor = successors[node][next]
        if orders[successor] < 0 {
          calls.append((successor, 0))
        } else if components[successor] < 0 {
          lowest[node] = min(lowest[node], orders[successor])
        }
        continue
      }
      // All successors are visited. If none leads back to an earlier node, the open nodes from here form a component.
      calls.removeLast()
      if let parent = calls.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
      guard lowest[node] == orders[node] else { continue }
      while let member = open.popLast() {
        components[member] = componentCount
        if member == node { break }
      }
      componentCount += 1
    }
  }
  return components
}
