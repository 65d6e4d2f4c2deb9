import DflatBuffers
import DflatCore
import Foundation
import Testing

/// Writes the value, reads it back, and expects it equal, in hash too.
func expectRoundTrip<Value: FlatBuffersCodable & Hashable & Sendable>(
  _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let data = value.toData()
  let read = try Value(data: data)
  #expect(read == value, sourceLocation: sourceLocation)
  #expect(read.hashValue == value.hashValue, sourceLocation: sourceLocation)
  #expect(read.toData() == data, "written again, the bytes are the same", sourceLocation: sourceLocation)
}

/// A buffer whose root is a table with what the closure adds.
func buffer(slots: Int, _ add: (inout FlatBufferBuilder) throws -> Void) throws -> Data {
  var builder = FlatBufferBuilder()
  builder.startTable(slots: slots)
  try add(&builder)
  return try finished(builder.endTable(), &builder)
}

func finished(_ root: FlatBufferOffset, _ builder: inout FlatBufferBuilder) throws -> Data {
  try builder.finish(root)
  return builder.withFinishedBytes { Data($0) }
}
