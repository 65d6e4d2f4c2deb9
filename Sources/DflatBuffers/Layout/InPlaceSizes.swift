import DflatSupport

/// The estimated sizes of the values of a layout, and of all layouts whose values they hold in place.
///
/// A value has boxes where generated code has them (`Recursion` in the schema compiler): in a cycle with unions, each
/// union refers to its members; in a cycle of tables alone, each field refers to its table. Entities are references.
///
/// The time is linear in the number of layouts whose estimates aren't known, and the depth of calls constant: the layouts
/// of a hostile schema may lead to each other on any number of paths, of any length, and many may lead to the same ones.
///
/// A layout whose contents are known leads only to layouts whose sizes are known. So it isn't in a cycle with one whose
/// size isn't, and the cycles of these are found without it.
struct InPlaceSizes {
  private struct Node {
    let route: UnsafePointer<Route>
    let isUnion: Bool
    /// The tables and unions that a value holds, by their numbers.
    var contents: [Int] = []

    var estimate: UnsafePointer<MemoryEstimate> { route.pointee.estimate }
  }

  private var nodes: [Node] = []
  private var numbers: [UnsafePointer<Route>: Int] = [:]
  /// The sizes with the routes of their layouts.
  private(set) var sizes: [(route: UnsafePointer<Route>, size: Int)] = []
  /// The number of fields and members that led to the layouts.
  private(set) var visits = 0

  /// The maximum size, for schemas whose size doubles with each level.
  private static let most = 1 << 20
  /// The size of a reference to a box or an object.
  private static let reference = 8

  /// - Parameter isUnion: True for the route of a union, false for that of a table.
  init(from route: UnsafePointer<Route>, isUnion: Bool) {
    collect(from: route, isUnion: isUnion)
    // In a cycle with unions, these refer to their members. The remaining cycles are of tables alone.
    let cycles = stronglyConnectedComponents(of: nodes.map(\.contents))
    let contents = nodes.indices.map { node in
      nodes[node].contents.filter { !nodes[node].isUnion || cycles[$0] != cycles[node] }
    }
    let components = stronglyConnectedComponents(of: contents)
    // The sizes of a value's contents come first.
    sizes = nodes.map { ($0.route, 0) }
    for node in nodes.indices.sorted(by: { components[$0] < components[$1] }) {
      if let size = nodes[node].estimate.pointee.inPlace {
        sizes[node].size = size
        continue
      }
      let isUnion = nodes[node].isUnion
      let size = size(of: nodes[node]) { content in
        let isBoxed = components[content] == components[node] || isUnion && cycles[content] == cycles[node]
        return isBoxed ? Self.reference : sizes[content].size
      }
      sizes[node].size = size
    }
  }

  /// Finds all layouts whose values those of a layout hold, except in vectors and in entities.
  private mutating func collect(from route: UnsafePointer<Route>, isUnion: Bool) {
    add(route, isUnion: isUnion)
    var node = 0
    while node < nodes.count {
      defer { node += 1 }
      if nodes[node].estimate.pointee.knowsContents { continue }
      for step in nodes[node].route.pointee.steps {
        visits += 1
        guard let content = step.content else { continue }
        let number = numbers[content] ?? add(content, isUnion: step.kind == .union)
        nodes[node].contents.append(number)
      }
    }
  }

  @discardableResult
  private mutating func add(_ route: UnsafePointer<Route>, isUnion: Bool) -> Int {
    numbers[route] = nodes.count
    nodes.append(Node(route: route, isUnion: isUnion))
    return nodes.count - 1
  }

  /// - Parameter content: Returns the size of a table or union in the value, by its number.
  private func size(of node: Node, content: (Int) -> Int) -> Int {
    var total = 0
    for step in node.route.pointee.steps where total < Self.most {
      let size =
        switch step.kind {
        case .none: 0
        // Each array in place has at least one byte in the struct. The verifier charges the arrays of a present one.
        case .inline: (step.size + 1 + 7) & ~7 + min(step.arrays, step.size) * Self.reference
        case .string: 16
        case .nested, .vector, .vectorOfStrings, .vectorOfTables, .vectorOfUnions: 8
        case .table, .union: (step.content.flatMap { numbers[$0] }.map(content) ?? Self.reference) + 8
        }
      total = node.isUnion ? max(total, size) : total + size
    }
    return min(total, Self.most)
  }
}

extension Step {
  /// The table or union that a value with this field or member holds; nil if there is none, or if it is an entity, to
  /// which the value refers.
  fileprivate var content: UnsafePointer<Route>? {
    guard kind == .table || kind == .union, let route = link?.pointee.route else { return nil }
    return route.pointee.estimate.pointee.isEntity ? nil : route
  }
}
