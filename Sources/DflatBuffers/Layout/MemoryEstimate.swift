import Synchronization

/// An estimate of the bytes that a value of a layout takes by itself, without the contents of its strings and arrays.
///
/// Generated structs hold the structs of their fields in place, present or not; recursive fields are boxed. The result
/// is cached, because layouts don't change.
struct MemoryEstimate: ~Copyable {
  /// The cached estimate; 0 before the first use.
  private let known = Atomic(0)
  /// The maximum estimate. It bounds the work for schemas whose size doubles with each level.
  private static let most = 1 << 20

  @inline(__always)
  func bytes(of route: UnsafePointer<Route>) -> Int {
    let bytes = known.load(ordering: .relaxed)
    return bytes != 0 ? bytes : compute(route)
  }

  private func compute(_ route: UnsafePointer<Route>) -> Int {
    var path: [UnsafePointer<Route>] = []
    let bytes = 16 + Self.size(of: route, within: &path)
    known.store(bytes, ordering: .relaxed)
    return bytes
  }

  private static func size(of route: UnsafePointer<Route>, within path: inout [UnsafePointer<Route>]) -> Int {
    // A recursive field refers to a box.
    guard !path.contains(route) else { return 8 }
    path.append(route)
    defer { path.removeLast() }
    var sum = 0
    for step in route.pointee.steps where sum < most {
      let size =
        switch step.kind {
        case .none: 0
        case .inline: (step.size + 1 + 7) & ~7
        case .string: 16
        case .nested, .vector, .vectorOfStrings, .vectorOfTables, .vectorOfUnions: 8
        case .table, .union: size(of: step.link!.pointee.route, within: &path) + 8
        }
      sum += size
    }
    return min(sum, most)
  }
}
