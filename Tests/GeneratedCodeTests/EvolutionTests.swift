import DflatEntities
import Foundation
import GoldenModels
import Testing

/// Programs of three versions of one schema read each other's bytes.
@Suite struct EvolutionTests {
  typealias V1 = Golden.Evolution.V1
  typealias V2 = Golden.Evolution.V2
  typealias V3 = Golden.Evolution.V3

  static let first = V1.Note(
    title: "t", color: .green, count: 7, content: .text(V1.Text(text: "c")), contents: [.text(V1.Text(text: "d"))],
    old: "o")
  static let second = V2.Note(
    name: "t", color: .blue, count: 7, content: .image(V2.Image(url: "u")),
    contents: [.text(V2.Text(text: "d", size: 3)), .image(V2.Image())], tags: ["x"], rating: 0)
  static let third = V3.Note(
    name: "t", color: .black, number: 8, content: .caption("c"),
    contents: [.caption("d"), .text(V3.Text(text: "e", bold: true))],
    rating: 1.5, footer: .image(V3.Image(url: "u", width: 2)), background: .green)

  @Test("Each version reads its own bytes") func eachReadsItsOwn() throws {
    try expectRoundTrip(Self.first)
    try expectRoundTrip(Self.second)
    try expectRoundTrip(Self.third)
  }

  @Test("A newer version reads the bytes of an older one") func newProgramsReadOldBytes() throws {
    let second = try V2.Note(data: Self.first.toData())
    #expect(
      second
        == V2.Note(
          name: "t", color: .green, count: 7, content: .text(V2.Text(text: "c", size: 12)),
          contents: [.text(V2.Text(text: "d"))]))
    #expect(second.tags == [] && second.rating == nil)

    let third = try V3.Note(data: Self.first.toData())
    #expect(
      third
        == V3.Note(
          name: "t", color: .green, number: 7, content: .text(V3.Text(text: "c", size: 12, bold: false)),
          contents: [.text(V3.Text(text: "d"))], footer: nil, background: .black))

    #expect(
      try V3.Note(data: Self.second.toData())
        == V3.Note(
          name: "t", color: .blue, number: 7, content: .image(V3.Image(url: "u", width: 0)),
          contents: [.text(V3.Text(text: "d", size: 3)), .image(V3.Image())], rating: 0))
  }

  @Test("An older version reads the bytes of a newer one") func oldProgramsReadNewBytes() throws {
    // Unknown values are read as defaults or as absent, or are skipped.
    #expect(
      try V1.Note(data: Self.second.toData())
        == V1.Note(title: "t", color: .red, count: 7, content: nil, contents: [.text(V1.Text(text: "d"))], old: nil))
    #expect(
      try V1.Note(data: Self.third.toData())
        == V1.Note(title: "t", color: .red, count: 8, content: nil, contents: [.text(V1.Text(text: "e"))]))
    #expect(
      try V2.Note(data: Self.third.toData())
        == V2.Note(name: "t", color: .red, count: 8, content: nil, contents: [.text(V2.Text(text: "e"))], rating: 1.5))
  }

  @Test("Defaults are the same in the oldest and the newest version") func defaultsAreTheSameForAll() throws {
    #expect(try V3.Note(data: V1.Note(title: "t").toData()) == V3.Note(name: "t"))
    #expect(try V1.Note(data: V3.Note(name: "t").toData()) == V1.Note(title: "t"))
  }
}
