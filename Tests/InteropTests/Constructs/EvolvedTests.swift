import Testing

/// Slots given by `id`, slots of deprecated fields, tables in their original order.
@Suite struct EvolvedTests {
  @Test("Dflat, flatc and Python agree on fields with ids") func numberedFields() async throws {
    let comparison = Comparison(Evolved.Numbered.self, schema: "evolved", root: "Evolved.Numbered")
    try await comparison.check([
      Sample("empty", Evolved.Numbered(), "{}"),
      Sample(
        "all", Evolved.Numbered(last: .max, first: 1, content: .leaf(Evolved.Leaf(size: 2)), middle: "m"),
        #"{ "first": 1, "middle": "m", "content_type": "Leaf", "content": { "size": 2 }, "last": 18446744073709551615 }"#
      ),
      Sample("few", Evolved.Numbered(first: 1, middle: "m"), #"{ "first": 1, "middle": "m" }"#),
    ])
  }

  @Test("Dflat, flatc and Python agree on tables with deprecated fields") func deprecatedFields() async throws {
    let comparison = Comparison(Evolved.Worn.self, schema: "evolved", root: "Evolved.Worn")
    try await comparison.check([
      Sample("all", Evolved.Worn(kept: 1, stays: 2, end: "e"), #"{ "kept": 1, "stays": 2, "end": "e" }"#),
      Sample("last", Evolved.Worn(end: "e"), #"{ "end": "e" }"#),
    ])
  }

  @Test("Dflat, flatc and Python agree on tables in their original order") func originalOrder() async throws {
    let comparison = Comparison(Evolved.Ordered.self, schema: "evolved", root: "Evolved.Ordered")
    try await comparison.check([
      Sample(
        "all",
        Evolved.Ordered(a: 1, b: 2, c: "c", d: 3, e: -4, part: .leaf(Evolved.Leaf(size: 5)), f: true),
        """
        { "a": 1, "b": 2, "c": "c", "d": 3, "e": -4, "part_type": "Leaf", "part": { "size": 5 }, "f": true }
        """),
      Sample("few", Evolved.Ordered(a: 1, b: 2, f: true), #"{ "a": 1, "b": 2, "f": true }"#),
    ])
  }
}
