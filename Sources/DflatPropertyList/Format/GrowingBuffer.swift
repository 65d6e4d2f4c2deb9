/// An array of trivial elements with a single owner. Unlike an array's, its accesses check neither references nor
/// exclusivity, which takes longer than encoding a small value does.
struct GrowingBuffer<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private(set) var capacity: Int

  init(capacity: Int) {
    base = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { base.deallocate() }

  subscript(index: Int) -> Element {
    @inline(__always) get {
      assert(index < count)
      return base[index]
    }
    @inline(__always) set {
      assert(index < count)
      base[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(to: count + 1) }
    base[count] = element
    count += 1
  }

  /// Adds elements that the caller initializes, and returns the place of the first.
  @inline(__always)
  mutating func extend(by added: Int) -> UnsafeMutablePointer<Element> {
    if capacity - count < added { grow(to: count + added) }
    count += added
    return base + (count - added)
  }

  mutating func removeLast(downTo count: Int) { self.count = count }

  @inline(never)
  private mutating func grow(to needed: Int) {
    capacity = max(needed, 2 * capacity)
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    moved.update(from: base, count: count)
    base.deallocate()
    base = moved
  }
}
