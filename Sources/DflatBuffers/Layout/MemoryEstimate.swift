import Synchronization

/// An estimate of the bytes that a value of a layout takes by itself, without the contents of its strings and arrays.
///
/// Generated structs hold the structs of their fields in place, present or not, and a union has room for its largest
/// member; recursive fields are boxed (`InPlaceSizes`). The result is cached, because layouts don't change.
struct MemoryEstimate: ~Copyable {
  /// The cached estimate; 0 before the first use.
  private let known = Atomic(0)
  /// True once the estimates of all layouts are known whose values a value holds in place, directly or not.
  private let isComplete = Atomic(false)
  /// True if the value is an entity, which is an object.
  let isEntity: Bool

  /// The bytes of an array's header, and of the allocator's rounding to 16.
  static let allocation = 32 + 16
  /// The bytes of a string's header, of the zero after its text with the rounding to 16, and of the reference to its
  /// breadcrumbs, which longer strings have (`StringStorage.swift` of the standard library).
  static let string = 32 + 16 + 8
  /// The bytes of a table's box, if it has one.
  private static let box = 16
  /// The bytes of an entity besides its fields: the reference, the object's header, and its identity.
  private static let entity = 8 + 16 + 32
  /// The bytes of a fixed struct's array, without its elements: the reference and the allocation.
  static let array = 8 + allocation

  init(isEntity: Bool) { self.isEntity = isEntity }

  /// Returns the estimate for a table, or with `isUnion` for a union, whose route it is.
  @inline(__always)
  func bytes(of route: UnsafePointer<Route>, isUnion: Bool = false) -> Int {
    let bytes = known.load(ordering: .relaxed)
    return bytes != 0 ? bytes : compute(route, isUnion: isUnion)
  }

  /// Computes the estimates of this layout and of all that its values hold in place.
  private func compute(_ route: UnsafePointer<Route>, isUnion: Bool) -> Int {
    let sizes = InPlaceSizes(from: route, isUnion: isUnion).sizes
    for (route, size) in sizes { route.pointee.estimate.pointee.keep(inPlace: size) }
    // Other threads rely on what they find complete, so all sizes come first.
    for (route, _) in sizes { route.pointee.estimate.pointee.complete() }
    return known.load(ordering: .relaxed)
  }

  private var surroundings: Int { isEntity ? Self.entity : Self.box }

  private func keep(inPlace size: Int) { known.store(surroundings + size, ordering: .relaxed) }

  private func complete() { isComplete.store(true, ordering: .releasing) }

  /// The size in place; nil before it is known.
  var inPlace: Int? {
    let bytes = known.load(ordering: .relaxed)
    return bytes == 0 ? nil : bytes - surroundings
  }

  /// True if the estimates of everything that a value holds in place are known, too.
  var knowsContents: Bool { isComplete.load(ordering: .acquiring) }
}
