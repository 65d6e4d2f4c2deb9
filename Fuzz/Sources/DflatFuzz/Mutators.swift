import CLibFuzzer

/// Mutates property lists: half of the time with libFuzzer's own mutations, else with mutations that know where a
/// property list describes its objects. They produce shared objects and objects that contain themselves.
func mutatePropertyList(_ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ capacity: Int, _ seed: UInt32) -> Int {
  guard let data else { return 0 }
  var random = SplitMix64(state: UInt64(seed))
  let kind = Int.random(in: 0..<10, using: &random)
  let trailer = size - 32
  if kind < 5 || trailer < 9 { return LLVMFuzzerMutate(data, size, capacity) }
  if kind == 9 { return write(randomPropertyList(seed: UInt64(seed)), to: data, capacity) }
  let count = max(1, Int(data[trailer + 15]))
  let table = min(trailer, Int(data[trailer + 30]) << 8 | Int(data[trailer + 31]))
  let place = Int.random(in: 8..<max(9, table), using: &random)
  switch kind {
  case 5: data[place] = UInt8(truncatingIfNeeded: Int.random(in: 0..<count, using: &random))
  case 6:
    data[place] = [0xa1, 0xa2, 0xd1, 0x5f, 0x6f, 0x4f, 0xaf, 0x10, 0x13, 0x14, 0x23, 0x33, 0x80, 0, 9].randomElement(
      using: &random)!
  case 7: data[place] = UInt8.random(in: .min ... .max, using: &random)
  default:
    let entry = Int.random(in: min(table, trailer - 1)..<trailer, using: &random)
    data[entry] = UInt8(truncatingIfNeeded: Int.random(in: 8..<max(9, table), using: &random))
  }
  return size
}

/// Mutates entities: with libFuzzer's own mutations, by a new row, or by mutating the payload as a FlatBuffer.
func mutateEntity(_ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ capacity: Int, _ seed: UInt32) -> Int {
  guard let data else { return 0 }
  var random = SplitMix64(state: UInt64(seed) ^ 0x5bd1_e995)
  let kind = Int.random(in: 0..<10, using: &random)
  let start = size > 0 ? 1 + Int(data[0]) : 1
  if kind < 3 || size <= start { return LLVMFuzzerMutate(data, size, capacity) }
  if kind < 5 { return write(randomEntity(seed: UInt64(seed)), to: data, capacity) }
  return start + mutateFlatBuffer(data + start, size - start, capacity - start, seed)
}

/// Writes a new input, truncated to the capacity, and returns its size.
private func write(_ bytes: [UInt8], to data: UnsafeMutablePointer<UInt8>, _ capacity: Int) -> Int {
  let count = min(bytes.count, capacity)
  bytes.withUnsafeBytes { UnsafeMutableRawPointer(data).copyMemory(from: $0.baseAddress!, byteCount: count) }
  return count
}
