/// The size of an object, including its contents, with shared objects counted at each reference.
struct PropertyListExtent {
  var objects = 1
  /// In bytes, roughly, after decoding.
  var memory = 16
  /// The maximum nesting of arrays and dictionaries in the object, itself included.
  var height = 0

  /// The extent of an array or dictionary without its contents.
  static var container: Self { Self(height: 1) }

  /// Returns the extent of an object that contains no others. Contents of more than 15 bytes count as an allocation of
  /// their own.
  static func leaf(contents: Int) -> Self { Self(memory: contents > 15 ? 48 + contents : 16) }

  mutating func addContainer() {
    objects += 1
    memory += Self.container.memory
  }

  mutating func addLeaf(contents: Int) {
    objects += 1
    memory += Self.leaf(contents: contents).memory
  }

  mutating func add(_ other: Self) throws(PropertyListCheck.Failure) {
    let (objects, overflow) = objects.addingReportingOverflow(other.objects)
    let (memory, overflown) = memory.addingReportingOverflow(other.memory)
    if overflow || overflown { throw .large }
    (self.objects, self.memory, height) = (objects, memory, max(height, other.height + 1))
  }
}
