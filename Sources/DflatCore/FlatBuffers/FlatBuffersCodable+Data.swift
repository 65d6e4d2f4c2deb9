public import DflatBuffers

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FlatBuffersDecodable {
  /// Verifies the data and reads the value:
  ///
  ///     let post = try Post(data: data)
  ///
  /// - Parameter limits: What the value may take; bytes from others may be small and stand for much. Types that implement
  ///   `from(verifying:)` themselves apply limits of their own.
  /// - Throws: `FlatBufferError`, whatever the data is, with the names of table and field.
  public init(data: Data, limits: FlatBufferLimits = FlatBufferLimits()) throws(FlatBufferError) {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(FlatBufferError) in try Self.from(verifying: bytes, limits: limits) }
    }
    self = try result.get()
  }
}

extension FlatBuffersEncodable where Self: FlatBuffersDecodable {
  /// The value as a buffer of its own.
  ///
  /// Traps where the value can't be written: over 2 GiB, tables nested more than 64 deep, more than a million of them, more
  /// memory than `FlatBufferLimits` lets readers use, too many elements in a fixed-length array, bytes that are not the nested buffer that the schema says. Where values may be
  /// so, use ``encoded(with:)``.
  public func toData() -> Data {
    do throws(FlatBufferError) {
      return try SpareBuilder.with { builder throws(FlatBufferError) in try encoded(with: &builder) }
    } catch {
      preconditionFailure("\(Self.self) can't be written as FlatBuffers: \(error). encoded(with:) throws instead.")
    }
  }

  /// The value as a buffer of its own, written in a builder's memory.
  ///
  /// - Parameter builder: What it holds is discarded. Reused, it allocates nothing.
  /// - Throws: `FlatBufferError` where the value can't be written.
  public func encoded(with builder: inout FlatBufferBuilder) throws(FlatBufferError) -> Data {
    try encode(in: &builder)
    return builder.withFinishedBytes { Data($0) }
  }

  /// Writes the value as the builder's buffer, with the type's file identifier if it has one.
  package func encode(in builder: inout FlatBufferBuilder) throws(FlatBufferError) {
    builder.reset()
    let root = to(flatBufferBuilder: &builder)
    try builder.finish(root, identifier: Self.flatBuffersIdentifier)
    // What is written can be read: strings that were written once may be read into more memory than the limits allow.
    if builder.mayTakeMuchMemory, let table = Self.self as? any FlatBufferTableValue.Type {
      try builder.verify(table.flatBufferLayout)
    }
  }
}
