import DflatBuffers
import DflatEntities
import Foundation
import Testing

/// Writes the value, reads it back, and expects an equal value with an equal hash.
func expectRoundTrip<Value: FlatBuffersCodable & Hashable & Sendable>(
  _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let data = value.toData()
  let read = try Value(data: data)
  #expect(read == value, sourceLocation: sourceLocation)
  #expect(read.hashValue == value.hashValue, sourceLocation: sourceLocation)
  #expect(read.toData() == data, "The decoded value is encoded to different bytes", sourceLocation: sourceLocation)
}

/// Returns a buffer whose root is a table with the fields that the closure adds.
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
