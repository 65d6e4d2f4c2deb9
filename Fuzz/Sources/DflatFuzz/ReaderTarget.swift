import DflatBuffers
import DflatCore
import Foundation

/// Buffers that the verifier accepts: all of their fields can be read, and what was read can be written and read again.
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

private func checkRoundTrip<T: FlatBufferTableValue & FlatBuffersCodable & Hashable>(
  of type: T.Type, in bytes: UnsafeRawBufferPointer
) {
  guard (try? FlatBufferVerifier(limits: limits).verify(root: T.flatBufferLayout, in: bytes)) != nil else { return }
  do {
    let value = try T(data: Data(bytes))
    let unverified = try FlatBuffer.withUnverifiedRoot(in: bytes) { try $0.value(T.self) }
    checkRewriting(value)
    require(value.hashValue == unverified.hashValue, "\(T.self) is another one without the verifier")
  } catch {
    fatalError("what the verifier accepts can't be read as \(T.self): \(error)")
  }
}

private func checkRewriting<T: FlatBuffersCodable & Hashable>(_ value: T) {
  let data = value.toData()
  do {
    let again = try T(data: data)
    require(again.hashValue == value.hashValue, "\(T.self) changed on its way through bytes")
    // Not `==` of the values, which nan breaks.
    require(again.toData() == data, "\(T.self) has different bytes the second time")
  } catch {
    fatalError("what was written as \(T.self) can't be read: \(error)")
  }
}
