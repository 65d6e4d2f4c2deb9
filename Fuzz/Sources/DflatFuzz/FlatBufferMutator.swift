import CLibFuzzer

/// Mutates FlatBuffers: half of the time with libFuzzer's own mutations, else with mutations that know about offsets,
/// so that more mutants pass the verifier. They produce objects that are shared, cyclic, or nested in objects of
/// another type.
func mutateFlatBuffer(_ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ capacity: Int, _ seed: UInt32) -> Int {
  guard let data else { return 0 }
  var random = SplitMix64(state: UInt64(seed))
  let kind = Int.random(in: 0..<10, using: &random)
  if kind < 5 || size < 12 { return LLVMFuzzerMutate(data, size, capacity) }
  var mutant = FlatBufferMutant(bytes: UnsafeMutableRawBufferPointer(start: data, count: size), random: random)
  switch kind {
  case 5: mutant.redirectOffset()
  case 6: mutant.changeWord(by: [-4, -2, -1, 1, 2, 4])
  case 7: mutant.copyVTableEntry()
  case 8: if seed % 2 == 0 { mutant.changeByte() } else { mutant.shareElement() }
  default:
    // Replace the input with a new buffer, truncated to the capacity.
    let isCrowded = seed % 4 == 0
    let fresh = (isCrowded ? Every.crowded(seed: UInt64(seed)) : Every.random(seed: UInt64(seed))).toData()
    let count = min(fresh.count, capacity)
    fresh.withUnsafeBytes { bytes in
      UnsafeMutableRawPointer(data).copyMemory(from: bytes.baseAddress!, byteCount: count)
    }
    if isCrowded, seed % 8 == 0 {
      mutant = FlatBufferMutant(bytes: UnsafeMutableRawBufferPointer(start: data, count: count), random: random)
      mutant.shareElement()
    }
    return count
  }
  return size
}

struct FlatBufferMutant {
  let bytes: UnsafeMutableRawBufferPointer
  var random: SplitMix64

  /// Makes an offset point to another offset's target.
  mutating func redirectOffset() {
    let source = wordPosition()
    let target = Int(word(at: source)) + source
    let position = wordPosition()
    if target > position, target < bytes.count { setWord(UInt32(target - position), at: position) }
  }

  mutating func changeWord(by deltas: [Int]) {
    let position = wordPosition()
    let delta = UInt32(truncatingIfNeeded: deltas.randomElement(using: &random)!)
    setWord(word(at: position) &+ delta, at: position)
  }

  /// Copies two bytes over two others. If both are entries of vtables, one field gets the other's position.
  mutating func copyVTableEntry() {
    let source = 2 * Int.random(in: 0..<bytes.count / 2, using: &random)
    let position = source + 2 * Int.random(in: -8...8, using: &random)
    guard position >= 0, position + 1 < bytes.count else { return }
    let entry = bytes.loadUnaligned(fromByteOffset: source, as: UInt16.self)
    bytes.storeBytes(of: Bool.random(using: &random) ? entry : 0, toByteOffset: position, as: UInt16.self)
  }

  /// Makes all elements of the longest vector of offsets refer to one of them, so that the decoded value is many times
  /// larger than the buffer.
  mutating func shareElement() {
    var (longest, vector) = (1, 0)
    for position in stride(from: 0, to: bytes.count - 7, by: 4) {
      let count = Int(word(at: position))
      if count > longest, count <= (bytes.count - position - 4) / 4, areOffsets(count, from: position + 4) {
        (longest, vector) = (count, position)
      }
    }
    guard longest > 1 else { return }
    // The last element of a crowded vector is the large one.
    let shared = Bool.random(using: &random) ? longest : Int.random(in: 1...longest, using: &random)
    let target = vector + 4 * shared + Int(word(at: vector + 4 * shared))
    for position in stride(from: vector + 4, through: vector + 4 * longest, by: 4) where position < target {
      setWord(UInt32(target - position), at: position)
    }
  }

  private func areOffsets(_ count: Int, from start: Int) -> Bool {
    stride(from: start, to: start + 4 * count, by: 4).allSatisfy { position in
      (4...(bytes.count - position)).contains(Int(word(at: position)))
    }
  }

  mutating func changeByte() {
    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
  }

  private mutating func wordPosition() -> Int { 4 * Int.random(in: 0..<bytes.count / 4, using: &random) }
  private func word(at position: Int) -> UInt32 { bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self) }
  private func setWord(_ word: UInt32, at position: Int) {
    bytes.storeBytes(of: word, toByteOffset: position, as: UInt32.self)
  }
}

/// Generates random numbers from a seed: https://prng.di.unimi.it/splitmix64.c
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
