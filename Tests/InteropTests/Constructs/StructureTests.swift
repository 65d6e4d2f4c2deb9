import Testing

/// Fixed structs: padding, nesting, arrays, alignment.
@Suite struct StructureTests {
  private let ragged = Structures.Ragged(a: true, b: 2.5, c: -3, d: -4, e: 5, f: .max, axis: .Z)
  private let raggedJSON = #"{ "a": true, "b": 2.5, "c": -3, "d": -4, "e": 5, "f": 18446744073709551615, "axis": "Z" }"#

  private let box = Structures.Box(
    name: [1, 2, 3, 4, 5], corners: [Structures.Vec3(x: 1, y: 2, z: 3), Structures.Vec3(x: 4, y: 5, z: 6)],
    axes: [.Y, .X, .Z], weights: [0.5, -0.5])
  private let boxJSON = """
    { "name": [1, 2, 3, 4, 5], "corners": [{ "x": 1, "y": 2, "z": 3 }, { "x": 4, "y": 5, "z": 6 }],
      "axes": ["Y", "X", "Z"], "weights": [0.5, -0.5] }
    """

  @Test("Dflat, flatc and Python agree on structs in a table") func structsInATable() async throws {
    let comparison = Comparison(Structures.Holder.self, schema: "structures", root: "Structures.Holder")
    try await comparison.check([
      Sample("empty", Structures.Holder(), "{}"),
      Sample(
        "zeros", Structures.Holder(at: Structures.Vec3(), wide: Structures.Wide()),
        #"{ "at": { "x": 0, "y": 0, "z": 0 }, "wide": { "low": 0, "high": 0 } }"#),
      Sample("ragged", Structures.Holder(ragged: ragged), #"{ "ragged": \#(raggedJSON) }"#),
      Sample("box", Structures.Holder(box: box), #"{ "box": \#(boxJSON) }"#),
      Sample(
        "all",
        Structures.Holder(
          at: Structures.Vec3(x: 1, y: -2, z: 0.25), ragged: ragged, box: box,
          nested: Structures.Nested(tag: -1, box: box, ragged: ragged), wide: Structures.Wide(low: 1, high: 2)),
        """
        { "at": { "x": 1, "y": -2, "z": 0.25 }, "ragged": \(raggedJSON), "box": \(boxJSON),
          "nested": { "tag": -1, "box": \(boxJSON), "ragged": \(raggedJSON) }, "wide": { "low": 1, "high": 2 } }
        """),
    ])
  }

  @Test("Dflat, flatc and Python agree on vectors of structs") func vectorsOfStructs() async throws {
    let comparison = Comparison(Structures.Holder.self, schema: "structures", root: "Structures.Holder")
    try await comparison.check([
      Sample(
        "each",
        Structures.Holder(
          path: [Structures.Vec3(x: 1, y: 2, z: 3), Structures.Vec3(x: 4, y: 5, z: 6)], raggeds: [ragged, ragged],
          wides: [Structures.Wide(low: 3, high: 4), Structures.Wide(low: 5, high: 6)], boxes: [box]),
        """
        { "path": [{ "x": 1, "y": 2, "z": 3 }, { "x": 4, "y": 5, "z": 6 }], "raggeds": [\(raggedJSON), \(raggedJSON)],
          "wides": [{ "low": 3, "high": 4 }, { "low": 5, "high": 6 }], "boxes": [\(boxJSON)] }
        """)
    ])
  }
}
