import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Random objects of the newest version, written by programs of older ones, all with generated code.
@Suite struct NewerNotesTests {
  private typealias V1 = Golden.Evolution.V1
  private typealias V3 = Golden.Evolution.V3

  private static func fields() throws -> UnknownFields {
    let (old, new) = (try #require(V1.Note._entity.schema?.text), try #require(V3.Note._entity.schema?.text))
    guard case .newer(let fields) = SchemaCompatibility(ofObjects: new.replacing("V3", with: "V1"), to: old) else {
      throw Refusal()
    }
    return try #require(fields as? UnknownFields)
  }

  @Test("A program of generated code keeps random objects of a newer one") func generated() throws {
    let fields = try Self.fields()
    var notes = NoteGenerator(random: .announced(for: "NewerNotesTests"))
    for _ in 0..<500 {
      let stored = notes.note()
      let old = try V1.Note.decoded(stored.encoded(), .unsaved)
      // An object that the program leaves as it is.
      let unchanged = try Self.write(old, over: stored, fields)
      #expect(unchanged == stored)
      // A field that both know.
      var builder = V1.NoteBuilder(from: old)
      builder.count &+= 1
      let changed = try Self.write(builder.build(), over: stored, fields)
      var expected = V3.NoteBuilder(from: stored)
      expected.number &+= 1
      #expect(changed == expected.build())
      // Another object under the same key.
      let other = V1.NoteBuilder(from: try V1.Note.decoded(notes.note().encoded(), .unsaved)).build()
      let replaced = try Self.write(other, over: stored, fields)
      let seen = try V1.Note.decoded(replaced.encoded(), .unsaved)
      #expect(seen == other)
      #expect(replaced.rating == stored.rating && replaced.footer == stored.footer)
      #expect(replaced.background == stored.background)
      // The members that the program doesn't know move with the ones that they follow.
      let (hidden, kept) = (stored.contents.filter(\.isHidden), replaced.contents.filter(\.isHidden))
      #expect(Self.counts(of: kept) == Self.counts(of: hidden))
      #expect(replaced.contents.count == other.contents.count + hidden.count)
    }
  }

  private static func counts(of members: [V3.Content]) -> [V3.Content: Int] {
    members.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Returns the object that the newer program reads after the older one has written its own.
  private static func write(_ object: V1.Note, over stored: V3.Note, _ fields: UnknownFields) throws -> V3.Note {
    let state = EncodingState()
    try state.encode(object)
    try stored.encoded().withUnsafeBytes { try state.keep(fields, of: fields.verified($0)) }
    let seen = try state.withEncoded { try V1.Note.stored(in: $0, .unsaved) }
    #expect(seen == object)
    return try state.withEncoded { try V3.Note.stored(in: $0, .unsaved) }
  }
}

/// Makes random notes of the newest version.
private struct NoteGenerator {
  var random: SeededGenerator

  private typealias V3 = Golden.Evolution.V3

  mutating func note() -> Golden.Evolution.V3.Note {
    let count = Int.random(in: 0...5, using: &random)
    return Golden.Evolution.V3.Note(
      name: text(), color: V3.Color.allCases.randomElement(using: &random),
      number: Int32.random(in: -2...6, using: &random),
      content: content(), contents: (0..<count).compactMap { _ in content() },
      rating: [nil, 0, 1.5, -.infinity].randomElement(using: &random)!, footer: content(),
      background: V3.Color.allCases.randomElement(using: &random))
  }

  private mutating func content() -> Golden.Evolution.V3.Content? {
    switch Int.random(in: 0...3, using: &random) {
    case 1:
      .text(
        V3.Text(
          text: Bool.random(using: &random) ? text() : nil, size: [12, 3].randomElement(using: &random),
          bold: Bool.random(using: &random)))
    case 2: .image(V3.Image(url: text(), width: Int32.random(in: 0...2, using: &random)))
    case 3: .caption(text())
    default: nil
    }
  }

  private mutating func text() -> String { ["", "a", "b", "\u{e9}", "e\u{301}"].randomElement(using: &random)! }
}

extension Golden.Evolution.V3.Content {
  /// True for members that the first version doesn't know.
  fileprivate var isHidden: Bool {
    switch self {
    case .text: false
    case .image, .caption: true
    }
  }
}
