import Synchronization

/// A layout compiled for the verifier, with the names that errors use.
final class LayoutPlan: @unchecked Sendable {  // only `init` writes to its memory, except for atomics
  let name: String
  /// The name of each step's field; empty for a union.
  let fieldNames: [String]
  let route: UnsafePointer<Route>
  private let memory: UnsafeMutablePointer<Route>
  private let estimate: UnsafeMutablePointer<MemoryEstimate>
  private let steps: UnsafeMutableBufferPointer<Step>
  private let links: [UnsafeMutablePointer<LayoutLink>]

  init(
    _ name: String, isEntity: Bool = false, fieldNames: [String], _ steps: [Step],
    links: [UnsafeMutablePointer<LayoutLink>]
  ) {
    self.name = name
    self.fieldNames = fieldNames
    self.links = links
    self.steps = .allocate(capacity: steps.count)
    _ = self.steps.initialize(from: steps)
    memory = .allocate(capacity: 1)
    route = UnsafePointer(memory)
    estimate = .allocate(capacity: 1)
    estimate.initialize(to: MemoryEstimate(isEntity: isEntity))
    memory.initialize(
      to: Route(steps: UnsafeBufferPointer(self.steps), plan: .passUnretained(self), estimate: UnsafePointer(estimate)))
  }

  /// Releases the plans that this one refers to, which are found again if they are needed.
  func unlink() {
    for link in links { link.pointee.unlink() }
  }

  deinit {
    memory.deallocate()
    estimate.deinitialize(count: 1)
    estimate.deallocate()
    steps.deallocate()
    for link in links {
      link.deinitialize(count: 1)
      link.deallocate()
    }
  }
}

/// The steps of a layout, valid as long as its plan. Pointers replace references to layouts: with reference counting,
/// all verifying threads would write to the same counters, which takes longer than the checks.
struct Route: BitwiseCopyable {
  /// A table's fields, or a union's members by their numbers.
  let steps: UnsafeBufferPointer<Step>
  let plan: Unmanaged<LayoutPlan>
  let estimate: UnsafePointer<MemoryEstimate>
}

/// A reference from a layout to another one, or back to itself, resolved at its first use.
struct LayoutLink: ~Copyable, @unchecked Sendable {  // `found` points to immutable data
  private let find: @Sendable () -> LayoutPlan
  /// The route of a plan that the link retains; nil before the first use.
  private let found = Atomic<UnsafePointer<Route>?>(nil)

  init(_ find: @escaping @Sendable () -> LayoutPlan) { self.find = find }

  deinit { found.load(ordering: .acquiring)?.pointee.plan.release() }

  /// Releases the plan, which no verification may be using.
  func unlink() { found.exchange(nil, ordering: .acquiringAndReleasing)?.pointee.plan.release() }

  @inline(__always)
  var route: UnsafePointer<Route> { found.load(ordering: .acquiring) ?? resolve() }

  private func resolve() -> UnsafePointer<Route> {
    let retained = Unmanaged.passRetained(find())
    let route = retained.takeUnretainedValue().route
    let (isStored, other) = found.compareExchange(expected: nil, desired: route, ordering: .acquiringAndReleasing)
    guard !isStored, let other else { return route }
    // Another thread has stored its result first.
    retained.release()
    return other
  }
}
