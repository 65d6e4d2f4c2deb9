internal import DflatBuffers

enum SpareBuilder {
  /// Lends a builder.
  static func with<R>(
    _ body: (inout FlatBufferBuilder) throws(FlatBufferError) -> R
  ) throws(FlatBufferError) -> R {
    var builder = FlatBufferBuilder()
    return try body(&builder)
  }
}
