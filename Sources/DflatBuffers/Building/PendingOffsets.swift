/// A stack of children written before the vector that refers to them. It is a stack because children may have vectors
/// themselves. Removing all entries keeps the memory.
struct PendingOffsets: ~Copyable {
  private var locations: UnsafeMutableBufferPointer<UInt32>
  private(set) var count = 0

  init() {
    locations = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  deinit {
    locations.deallocate()
  }

  mutating func push(_ offset: FlatBufferOffset) {
    if count == locations.count {
      let larger = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: max(16, count * 2))
      _ = larger.initialize(from: locations[0..<count])
      larger[count...].initialize(repeating: 0)
      locations.deallocate()
      locations = larger
    }
    locations[count] = offset.location
    count += 1
  }

  subscript(index: Int) -> FlatBufferOffset {
    FlatBufferOffset(Int(locations[index]))
  }

  mutating func truncate(to count: Int) {
    self.count = count
  }

  mutating func removeAll() {
    count = 0
  }
}
