package import DflatBuffers
package import DflatKV
package import GoldenModels

/// One version of a program that stores notes: the generated type of that version, and its description.
package protocol NoteVersion: Sendable {
  associatedtype Note: Atom
  static var entity: EntityDescription { get }
}

/// A note as one version of a program stores it. All versions share a table, which generated types can't do in one
/// module: a table is called after its type's namespace.
///
///     let note = FirstNote(.init(title: "t", count: 7))
///     try txn.update(note) { $0.values.count += 1 }
package final class SharedNote<Version: NoteVersion>: Atom {
  package typealias _Builder = SharedNoteBuilder<Version>

  package let note: Version.Note
  package let _identity: EntityIdentity

  package init(_ note: Version.Note, identity: EntityIdentity) {
    self.note = note
    _identity = identity
  }

  package convenience init(_ note: Version.Note) { self.init(note, identity: .unsaved) }

  package static func == (lhs: SharedNote, rhs: SharedNote) -> Bool { lhs.note == rhs.note }
  package func hash(into hasher: inout Hasher) { hasher.combine(note) }

  package static var _entity: EntityDescription { Version.entity }
  package static var flatBuffersSchemaVersion: String? { nil }
  package static var flatBufferLayout: TableLayout { Version.Note.flatBufferLayout }

  package convenience init(_ table: FlatBufferTable) throws(FlatBufferError) {
    try self.init(table, identity: .unsaved)
  }

  package convenience init(_ table: FlatBufferTable, identity: EntityIdentity) throws(FlatBufferError) {
    self.init(try Version.Note(table), identity: identity)
  }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    note.to(flatBufferBuilder: &builder)
  }
}

/// The editable copy of a shared note, in `values`.
package struct SharedNoteBuilder<Version: NoteVersion>: EntityBuilder {
  package var values: Version.Note._Builder

  package init() { values = Version.Note._Builder() }
  package init(from object: SharedNote<Version>) { values = Version.Note._Builder(from: object.note) }

  package func build(identity: EntityIdentity) -> SharedNote<Version> {
    SharedNote(values.build(identity: .unsaved), identity: identity)
  }
}

package enum FirstNotes: NoteVersion {
  package typealias Note = Golden.Evolution.V1.Note
  package static let entity = sharedEntity(of: Note.self, namespace: "V1")
}

package enum SecondNotes: NoteVersion {
  package typealias Note = Golden.Evolution.V2.Note
  package static let entity = sharedEntity(of: Note.self, namespace: "V2")
}

package enum ThirdNotes: NoteVersion {
  package typealias Note = Golden.Evolution.V3.Note
  package static let entity = sharedEntity(
    of: Note.self, namespace: "V3",
    indexes: [.init("rating", FieldPath(.scalar(22, .double, default: .null)), isUnique: true)])
}

package typealias FirstNote = SharedNote<FirstNotes>
package typealias SecondNote = SharedNote<SecondNotes>
package typealias ThirdNote = SharedNote<ThirdNotes>

/// Returns the description of a version's type, with the table and the namespace that all versions share.
private func sharedEntity<Note: Atom>(
  of type: Note.Type, namespace: String, indexes: [EntityIndex] = []
) -> EntityDescription {
  let text = Note._entity.schema?.text
  return EntityDescription(
    "shared_note", primaryKey: Note._entity.primaryKey, indexes: indexes,
    schema: text?.replacing("namespace Golden.Evolution.\(namespace);", with: "namespace Golden.Evolution;"))
}
