import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Immutable bytes and their count, in one allocation: a cold read of a FlatBuffer copies them from SQLite. `Data`
/// takes two.
struct ByteBuffer: @unchecked Sendable {  // immutable after initialization
  private let storage: ManagedBuffer<Int, UInt8>

  init(copying bytes: UnsafeRawBufferPointer) {
    storage = .create(minimumCapacity: bytes.count) { _ in bytes.count }
    storage.withUnsafeMutablePointerToElements { elements in
      UnsafeMutableRawBufferPointer(start: elements, count: bytes.count).copyMemory(from: bytes)
    }
  }

  var count: Int { storage.header }

  @inline(__always)
  func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    let elements = storage.withUnsafeMutablePointerToElements { $0 }
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(start: elements, count: count))
  }

  var data: Data { withBytes { Data($0) } }
}

extension ByteBuffer: Equatable {
  static func == (a: ByteBuffer, b: ByteBuffer) -> Bool {
    a.storage === b.storage || a.withBytes { first in b.withBytes { second in first.isSame(as: second) } }
  }
}
