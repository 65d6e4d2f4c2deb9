import Synchronization

/// A layout as the verifier goes through it, with what it calls things in errors.
final class LayoutPlan: @unchecked Sendable {  // its memory is written to by `init` alone, but for what is atomic
  let name: String
  /// By the steps' indices; none for a union.
  let fieldNames: [String]
  let route: UnsafePointer<Route>
  private let memory: UnsafeMutablePointer<Route>
  private let estimate: UnsafeMutablePointer<MemoryEstimate>
  private let steps: UnsafeMutableBufferPointer<Step>
  private let links: [UnsafeMutablePointer<LayoutLink>]

  init(_ name: String, fieldNames: [String], _ steps: [Step], links: [UnsafeMutablePointer<LayoutLink>]) {
    self.name = name
    self.fieldNames = fieldNames
    self.links = links
    self.steps = .allocate(capacity: steps.count)
    _ = self.steps.initialize(from: steps)
    memory = .allocate(capacity: 1)
    route = UnsafePointer(memory)
    estimate = .allocate(capacity: 1)
    estimate.initialize(to: MemoryEstimate())
    memory.initialize(
      to: Route(steps: UnsafeBufferPointer(self.steps), plan: .passUnretained(self), estimate: UnsafePointer(estimate)))
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

/// The steps of a layout, which live as long as its plan: addresses, where layouts have references. Counting references, all
/// threads that verify would write to the same counters, and that takes longer than the checks.
struct Route: BitwiseCopyable {
  /// A table's fields, or a union's members by their numbers.
  let steps: UnsafeBufferPointer<Step>
  let plan: Unmanaged<LayoutPlan>
  let estimate: UnsafePointer<MemoryEstimate>
}

/// From a layout to another one, or back to itself: found when it is first needed, and kept from then on.
struct LayoutLink: ~Copyable, @unchecked Sendable {  // what `found` leads to is immutable
  private let find: @Sendable () -> LayoutPlan
  /// Of a plan that is retained.
  private let found = Atomic<UnsafePointer<Route>?>(nil)

  init(_ find: @escaping @Sendable () -> LayoutPlan) { self.find = find }

  deinit { found.load(ordering: .acquiring)?.pointee.plan.release() }

  @inline(__always)
  var route: UnsafePointer<Route> { found.load(ordering: .acquiring) ?? resolve() }

  private func resolve() -> UnsafePointer<Route> {
    let retained = Unmanaged.passRetained(find())
    let route = retained.takeUnretainedValue().route
    let (isStored, other) = found.compareExchange(expected: nil, desired: route, ordering: .acquiringAndReleasing)
    guard !isStored, let other else { return route }
    // Another thread was faster.
    retained.release()
    return other
  }
}
