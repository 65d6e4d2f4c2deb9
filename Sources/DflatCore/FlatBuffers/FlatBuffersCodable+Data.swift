public import DflatBuffers

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FlatBuffersDecodable {
  /// Verifies the data, and reads the value from it:
  ///
  ///     let post = try Post(data: data)
  ///
  /// - Parameters:
  ///   - data: A FlatBuffers buffer. It may be arbitrary bytes.
  ///   - limits: The resources that the value may use. Small data from an untrusted source can describe a large value.
  ///     Types that implement `from(verifying:)` themselves apply their own limits.
  /// - Throws: `FlatBufferError`, with the names of the table and the field, if the data isn't valid or exceeds the
  ///   limits.
  public init(data: Data, limits: FlatBufferLimits = FlatBufferLimits()) throws(FlatBufferError) {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(FlatBufferError) in try Self.from(verifying: bytes, limits: limits) }
    }
    self = try result.get()
  }
}

extension FlatBuffersEncodable where Self: FlatBuffersDecodable {
  /// Returns the value as a buffer of its own.
  ///
  /// Traps if the value can't be written: if it takes more than 2 GiB, has tables nested more than 64 deep or more than
  /// a million tables, needs more memory than `FlatBufferLimits` lets readers use, has too many elements in a
  /// fixed-length array, or has bytes that aren't the nested buffer that the schema declares. Use ``encoded(with:)`` if
  /// that can happen.
  public func toData() -> Data {
    do throws(FlatBufferError) {
      return try SpareBuilder.with { builder throws(FlatBufferError) in try encoded(with: &builder) }
    } catch {
      preconditionFailure(
        "\(Self.self) can't be written as FlatBuffers: \(error). Use encoded(with:), which throws instead.")
    }
  }

  /// Returns the value as a buffer of its own, written in a builder's memory.
  ///
  /// - Parameter builder: The builder. Its content is discarded; its memory is reused, so that only the result is
  ///   allocated.
  /// - Throws: `FlatBufferError` if the value can't be written.
  public func encoded(with builder: inout FlatBufferBuilder) throws(FlatBufferError) -> Data {
    try encode(in: &builder)
    return builder.withFinishedBytes { Data($0) }
  }

  /// Writes the value as the builder's buffer, with the type's file identifier if it has one.
  package func encode(in builder: inout FlatBufferBuilder) throws(FlatBufferError) {
    builder.reset()
    let root = to(flatBufferBuilder: &builder)
    try builder.finish(root, identifier: Self.flatBuffersIdentifier)
    // Make sure that the value can be read: strings that share storage in the buffer may exceed the memory limit when
    // read.
    if builder.mayTakeMuchMemory, let table = Self.self as? any FlatBufferTableValue.Type {
      try builder.verify(table.flatBufferLayout)
    }
  }
}
