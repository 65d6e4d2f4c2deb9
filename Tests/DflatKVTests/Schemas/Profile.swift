import DflatBuffers
import DflatKV
import TestSupport

/// One version of the schema of `Profile`, as a program has it.
protocol ProfileProgram: Sendable {
  static var schema: FlatBuffersSchema? { get }
  static var version: String? { get }
}

extension ProfileProgram {
  static var version: String? { nil }
}

/// Returns the schema of `Profile` with these fields.
private func profile(_ fields: String, attributes: String = "") -> FlatBuffersSchema {
  FlatBuffersSchema(
    root: "App.Profile", text: "namespace App; table Profile\(attributes) { \(fields) } root_type Profile;")
}

/// A value of the dictionary, as a program with the schema `P` reads and writes it: what generated code would be, for
/// several schemas at once.
struct Profile<P: ProfileProgram>: FlatBufferTableValue, FlatBuffersCodable, Equatable {
  var name: String?
  var count: Int32

  init(_ name: String? = nil, count: Int32 = 5) {
    self.name = name
    self.count = count
  }

  static var flatBuffersSchemaVersion: String? { P.version }

  static var flatBuffersSchema: FlatBuffersSchema? { P.schema }

  static var flatBufferLayout: TableLayout { profileLayout }

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    name = try table.string(4)
    count = try table.scalar(6, default: 5)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let name = builder.create(name)
    builder.startTable(slots: 2)
    builder.add(count, at: 6, default: 5)
    builder.add(name, at: 4)
    return builder.endTable()
  }
}

private let profileLayout = TableLayout("App.Profile", fields: [.string("name", 4), .scalar("count", 6, Int32.self)])

enum FirstProgram: ProfileProgram {
  static let schema: FlatBuffersSchema? = profile("name: string; count: int = 5;")
}

/// The first program's successor.
enum SecondProgram: ProfileProgram {
  static let schema: FlatBuffersSchema? = profile("name: string; count: int = 5; rating: double;")
}

/// Another successor of the first program, which contradicts the second.
enum OtherProgram: ProfileProgram {
  static let schema: FlatBuffersSchema? = profile("name: string; count: int = 5; note: string;")
}

/// The first program, after a field was deleted.
enum MistakenProgram: ProfileProgram {
  static let schema: FlatBuffersSchema? = profile("count: int = 5;")
}

/// The mistaken program, with a new version of the type.
enum VersionedProgram: ProfileProgram {
  static let schema: FlatBuffersSchema? = profile("count: int = 5;", attributes: " (v: \"2\")")
  static let version: String? = "2"
}

/// A program whose code an older `dflatc` generated.
enum SilentProgram: ProfileProgram {
  static let schema: FlatBuffersSchema? = nil
}

/// A value of the mistaken program that is also `Codable`.
struct CodableProfile: FlatBufferTableValue, FlatBuffersCodable, Codable, Equatable {
  var count: Int32

  init(count: Int32) { self.count = count }

  static var flatBuffersSchemaVersion: String? { nil }

  static var flatBuffersSchema: FlatBuffersSchema? { MistakenProgram.schema }

  static let flatBufferLayout = TableLayout("App.Profile", fields: [.scalar("count", 4, Int32.self)])

  init(_ table: FlatBufferTable) throws(FlatBufferError) { count = try table.scalar(4, default: 5) }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    builder.startTable(slots: 1)
    builder.add(count, at: 4, default: 5)
    return builder.endTable()
  }
}

extension DictionaryKeys {
  static let mistaken = DictionaryKey("k", default: Profile<MistakenProgram>("default"))
  static let migrating = DictionaryKey(
    "k", default: Profile<VersionedProgram>("default"),
    migrating: [.from(Profile<FirstProgram>.self) { Profile<VersionedProgram>($0.name, count: $0.count) }])
}

extension TestWorkspace {
  /// Returns a schema that the file stores.
  func storedSchema(_ row: String = "dictionary:App.Profile") throws -> String? {
    try RawDatabase(path).text("SELECT schema FROM dflat_schema WHERE table_name = '\(row)'")
  }
}
