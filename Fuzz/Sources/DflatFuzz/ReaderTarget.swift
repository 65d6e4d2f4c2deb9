import CLibFuzzer
import DflatBuffers
import DflatCore
import Foundation

/// Tests buffers that the verifier accepts: every field can be read, and the value can be written and read again.
func testReader(_ bytes: UnsafeRawBufferPointer) {
  withHeapCopy(of: bytes, offset: 0) { bytes in
    checkRoundTrip(of: Every.self, in: bytes)
    checkRoundTrip(of: Fuzz.Node.self, in: bytes)
  }
  withHeapCopy(of: bytes, offset: 1 + bytes.count % 7) { bytes in
    checkRoundTrip(of: Fuzz.Vectors.self, in: bytes)
    checkRoundTrip(of: Fuzz.Ordered.self, in: bytes)
    if let value = try? FlatBuffer.decode(Fuzz.Nested.self, from: bytes) { checkRewriting(value) }
  }
}

/// Small enough for small inputs to exceed it, by many references to one object.
private let memoryLimit = 64 << 10
private let readerLimits = FlatBufferLimits(maximumTables: 1000, maximumSize: 1 << 20, maximumMemory: memoryLimit)

/// Decodes a value, and checks that its memory stays within the verifier's limit, as the allocator counts it.
private func decode<T: FlatBuffersCodable>(_ type: T.Type, from data: Data) throws -> T {
  let before = __sanitizer_get_current_allocated_bytes()
  let value = try T(data: data, limits: readerLimits)
  let bytes = Int(__sanitizer_get_current_allocated_bytes()) - Int(before)
  require(bytes <= memoryLimit, "\(data.count) bytes become a \(T.self) of \(bytes)")
  return value
}

private func checkRoundTrip<T: FlatBufferTableValue & FlatBuffersCodable & Hashable>(
  of type: T.Type, in bytes: UnsafeRawBufferPointer
) {
  guard (try? FlatBufferVerifier(limits: readerLimits).verify(root: T.flatBufferLayout, in: bytes)) != nil else {
    return
  }
  do {
    let value = try decode(T.self, from: Data(bytes))
    let unverified = try FlatBuffer.withUnverifiedRoot(in: bytes) { try $0.value(T.self) }
    require(value.toData() == unverified.toData(), "\(T.self) is another one without the verifier")
    checkRewriting(value)
  } catch {
    fatalError("what the verifier accepts can't be read as \(T.self): \(error)")
  }
}

/// Compares bytes, where `==` and hashes fail: NaN isn't equal to itself, and is read back as the field's default if
/// that is a NaN with other bits.
private func checkRewriting<T: FlatBuffersCodable & Hashable>(_ value: T) {
  let data = value.toData()
  do {
    let again = try T(data: data)
    require(again.toData() == data, "\(T.self) changed on its way through bytes")
    let third = try T(data: again.toData())
    require(third.hashValue == again.hashValue, "\(T.self) has another hash the second time")
  } catch {
    fatalError("what was written as \(T.self) can't be read: \(error)")
  }
}
