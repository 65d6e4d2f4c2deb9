import Testing

/// Unions of tables, structs and strings, alone and in vectors.
@Suite struct ChoiceTests {
  @Test("Dflat, flatc and Python agree on unions of tables") func unionsOfTables() async throws {
    let comparison = Comparison(
      Choices.Drawing.self, schema: "choices", root: "Choices.Drawing", hasVectorsOfUnions: true)
    try await comparison.check([
      Sample("none", Choices.Drawing(), "{}"),
      Sample(
        "alone",
        Choices.Drawing(
          title: "t", background: .circle(Choices.Circle(radius: 1.5)),
          foreground: .square(Choices.Square(side: 2, label: "s"))),
        """
        { "title": "t", "background_type": "Circle", "background": { "radius": 1.5 },
          "foreground_type": "Square", "foreground": { "side": 2.0, "label": "s" } }
        """),
      // Renamed members of one type are different members.
      Sample(
        "renamed",
        Choices.Drawing(background: .other(Choices.Square(label: "o")), foreground: .round(Choices.Circle())),
        """
        { "background_type": "Other", "background": { "label": "o" }, "foreground_type": "ROUND", "foreground": {} }
        """),
      Sample(
        "vector",
        Choices.Drawing(
          shapes: [
            .circle(Choices.Circle(radius: 1)),
            .group(Choices.Group(name: "g", shapes: [.square(Choices.Square()), .round(Choices.Circle(radius: 2))])),
            .other(Choices.Square(side: 3)),
          ]),
        """
        { "shapes_type": ["Circle", "Group", "Other"],
          "shapes": [{ "radius": 1.0 },
            { "name": "g", "shapes_type": ["Square", "ROUND"], "shapes": [{}, { "radius": 2.0 }] }, { "side": 3.0 }] }
        """),
    ])
  }

  @Test("Dflat, flatc and Python agree on unions of structs and strings")
  func unionsOfStructsAndStrings() async throws {
    let comparison = Comparison(
      MixedChoices.Card.self, schema: "mixed_choices", root: "MixedChoices.Card", hasVectorsOfUnions: true)
    try await comparison.check([
      Sample(
        "strings", MixedChoices.Card(front: .words("hello"), back: .more("")),
        #"{ "front_type": "Words", "front": "hello", "back_type": "More", "back": "" }"#),
      Sample(
        "structs",
        MixedChoices.Card(
          front: .point(MixedChoices.Point(x: 1, y: -1)), back: .elsewhere(MixedChoices.Point(x: .max, y: .min))),
        """
        { "front_type": "Point", "front": { "x": 1, "y": -1 },
          "back_type": "Elsewhere", "back": { "x": 2147483647, "y": -2147483648 } }
        """),
      Sample(
        "table", MixedChoices.Card(front: .note(MixedChoices.Note(text: "n"))),
        #"{ "front_type": "Note", "front": { "text": "n" } }"#),
    ])
  }

  @Test("Dflat, flatc and Python agree on vectors of unions of structs and strings")
  func vectorsOfUnionsOfStructsAndStrings() async throws {
    let comparison = Comparison(
      MixedChoices.Deck.self, schema: "mixed_choices", root: "MixedChoices.Deck", hasVectorsOfUnions: true)
    try await comparison.check([
      Sample(
        "each",
        MixedChoices.Deck(cards: [
          .words("a"), .point(MixedChoices.Point(x: 1, y: 2)), .note(MixedChoices.Note()), .more("b"),
          .elsewhere(MixedChoices.Point()),
        ]),
        """
        { "cards_type": ["Words", "Point", "Note", "More", "Elsewhere"],
          "cards": ["a", { "x": 1, "y": 2 }, {}, "b", { "x": 0, "y": 0 }] }
        """)
    ])
  }
}
