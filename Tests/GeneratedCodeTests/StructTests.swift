import DflatBuffers
import DflatEntities
import GoldenModels
import Testing

@Suite struct StructTests {
  typealias S = Golden.Structs

  static let grid = S.Grid(
    cells: [1, 2, 3, 4], axes: [.Y, .Z], corners: [S.Vec3(x: 1), S.Vec3(y: 2)],
    lines: [S.Line(from: S.Vec3(z: 3), width: 9)], name: [7, 8, 9])

  @Test("Structs in tables are read back") func structsInTablesAreReadBack() throws {
    let line = S.Line(from: S.Vec3(x: 1, y: 2, z: 3), to: S.Vec3(x: -1), width: 4)
    try expectRoundTrip(
      S.Shapes(
        vec: S.Vec3(x: 1.5, y: -2, z: .infinity), padded: S.Padded(flag: true, wide: 1e300, small: 5, axis: .Y),
        grid: Self.grid, lines: [line, S.Line()], aligned: S.Aligned(value: -1), needed: S.Vec3()))
  }

  @Test("A struct can be encoded on its own") func aStructIsAValueOfItsOwn() throws {
    try expectRoundTrip(S.Vec3(x: 1, y: 2, z: 3))
    try expectRoundTrip(Self.grid)
    try expectRoundTrip(S.Aligned(value: 3))
  }

  @Test("Structs have the layout that C gives them") func layoutsAreThoseOfC() {
    #expect(S.Vec3.flatBufferLayout.size == 12)
    #expect(S.Padded.flatBufferLayout.size == 24)
    #expect(S.Padded.flatBufferLayout.alignment == 8)
    #expect(S.Line.flatBufferLayout.size == 28)
    #expect(S.Aligned.flatBufferLayout.alignment == 16)
  }

  @Test("Arrays that are too short are filled with defaults") func arraysThatAreTooShortAreFilled() throws {
    var grid = S.Grid(cells: [1])
    #expect(grid.cells == [1, 0, 0, 0])
    #expect(grid.axes == [.X, .X])
    #expect(grid.corners == [S.Vec3(), S.Vec3()])
    try expectRoundTrip(grid)
    grid.cells = []
    grid.axes = [.Y]
    grid.name.removeLast()
    #expect(grid.cells == [0, 0, 0, 0])
    #expect(grid.axes == [.Y, .X])
    #expect(grid.name == [0, 0, 0])
    try expectRoundTrip(grid)
  }

  @Test("Encoding an array that is too long is an error") func arraysThatAreTooLongAreAnError() {
    var builder = FlatBufferBuilder()
    let error = #expect(throws: FlatBufferError.self) {
      try S.Grid(cells: [1, 2, 3, 4, 5]).encoded(with: &builder)
    }
    #expect(error?.code == .arrayTooLong)
  }

  @Test("An unknown enum value in a struct is read as the default")
  func anUnknownEnumValueBecomesTheDefault() throws {
    var data = S.Padded(axis: .Y).toData()
    let position = try #require(data.lastIndex(of: 2))
    data[position] = 99
    #expect(try S.Padded(data: data).axis == .X)
  }
}
