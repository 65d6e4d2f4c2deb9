import DflatBuffers
import DflatCore
import DflatSchema

/// Keeps what a program's schema lacks of the objects in a file, where a newer program has stored its own: the program
/// writes an object as its schema has it, and the rest is copied from the stored object.
///
/// | in the newer schema | what is kept |
/// |---|---|
/// | a field that the program's schema lacks, or has deprecated | its value, at any depth: tables in the same place
/// belong together | | a number of an enum that the program's schema lacks | the number, if the program leaves the
/// default that it reads there | | a member of a union that the program's schema lacks | the member, if the program
/// leaves the union without a value | | such members in a vector | all of them, each after the element that it followed
/// | | fields of a vector's elements | those of the elements that the program leaves as they are; with a `key`, also
/// those of the element that alone has the same key |
///
/// An object that the program makes anew has nothing to keep: a vector's element that it adds or changes (unless it has
/// a `key`), a table where there was none, a union's member in the place of another one. A nested buffer is bytes,
/// which the program replaces as a whole.
///
/// Either schema's layouts have verified an object before it is read by that schema, so the limits of
/// `FlatBufferVerifier` bound the work, the memory, and the depth of the recursion. This holds also if the newer
/// schema, which comes from the file, is nonsense.
final class UnknownFields: SchemaDifference {
  let known: KnownSchema
  let newer: Schema
  let layouts: SchemaLayouts
  /// The fields of each table of the newer schema, in the order of their slots.
  let fields: [[TableDefinition.Field]]
  private let knownLayouts: SchemaLayouts
  /// The roots' indices in the two schemas.
  private let knownRoot: Int
  private let newerRoot: Int
  /// True if a struct of the newer schema has more arrays than bytes. The builder counts only those of Swift structs.
  private let hasManyArrays: Bool

  /// Returns nil if one of the schemas has no root.
  ///
  /// - Parameters:
  ///   - schema: The program's schema.
  ///   - newer: A schema that may follow it.
  init?(unknownTo schema: Schema, in newer: Schema) {
    guard let knownRoot = schema.files.last?.rootTable, let newerRoot = newer.files.last?.rootTable else { return nil }
    self.knownRoot = knownRoot
    self.newerRoot = newerRoot
    self.newer = newer
    hasManyArrays = newer.structs.contains { $0.arrays > $0.size }
    known = KnownSchema(schema)
    knownLayouts = SchemaLayouts(schema)
    layouts = SchemaLayouts(newer)
    fields = newer.tables.map { table in table.fields.sorted { $0.slot < $1.slot } }
  }

  /// Verifies a stored object by both schemas.
  ///
  /// - Returns: Its root, valid as long as the bytes.
  /// - Throws: `FlatBufferError` if the bytes, which may be anything, are not such an object.
  func verified(_ bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> FlatBufferTable {
    _ = try FlatBufferVerifier().verify(root: knownLayouts.table(knownRoot), in: bytes)
    return try FlatBufferVerifier().verify(root: layouts.table(newerRoot), in: bytes)
  }

  /// Writes an object of the newer schema: what the program has written, and what it doesn't know of the stored object.
  /// The program reads from the result exactly what it has written.
  ///
  /// - Parameters:
  ///   - written: The object as the program has written it.
  ///   - stored: The root of the stored object, verified.
  ///   - builder: An empty builder. It gets the finished buffer.
  /// - Throws: `FlatBufferError` if the result exceeds the limits of buffers.
  func write(
    _ written: UnsafeRawBufferPointer, over stored: FlatBufferTable, with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) {
    let merger = ObjectMerger(self)
    let root = try merger.merge(verified(written), over: stored, knownRoot, newerRoot, with: &builder)
    try builder.finish(root, identifier: newer.tables[newerRoot].identifier(in: newer))
    if merger.hasSharedParts || hasManyArrays || builder.mayTakeMuchMemory {
      try builder.verify(layouts.table(newerRoot))
    }
  }
}
