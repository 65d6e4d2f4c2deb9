import DflatKV
import Testing

/// A query, and its answer computed in plain Swift.
struct ItemQuestion<S: ItemSchema> {
  let name: String
  let query: (Query<Item<S>>) -> Query<Item<S>>
  /// Computes the answer from all objects, in the order of their rows.
  let answer: ([Item<S>]) -> [Item<S>]

  init(
    _ name: String, _ query: @escaping (Query<Item<S>>) -> Query<Item<S>>,
    where matches: @escaping (ItemFields<S>) -> Bool = { _ in true }, answer: (([Item<S>]) -> [Item<S>])? = nil
  ) {
    self.name = name
    self.query = query
    self.answer = answer ?? { $0.filter { matches($0.fields) } }
  }

  static var all: [ItemQuestion] {
    typealias I = Item<S>
    var questions: [ItemQuestion] = [
      .init("count", { $0.where(I.count == 5) }, where: { $0.count == 5 }),
      .init("counts", { $0.where(I.count.between(3, and: 8)) }, where: { (3...8).contains($0.count) }),
      .init(
        "highest counts", { $0.orderBy(I.count.descending).limit(7) },
        answer: { Array($0.stableSorted { $0.count > $1.count }.prefix(7)) }),
      // A number that the schema doesn't know is the default.
      .init("red", { $0.where(I.color == 0) }, where: { $0.color == 0 }),
      .init(
        "colors", { $0.where(I.color.in([1, Int8(S.version)])) }, where: { [1, Int8(S.version)].contains($0.color) }),
      .init("by color", { $0.orderBy(I.color.ascending) }, answer: { $0.stableSorted { $0.color < $1.color } }),
      .init("no content", { $0.where(I.kind.isNull) }, where: { $0.content == nil }),
      .init("is text", { $0.where(I.kind == 1) }, where: { $0.content?.flatBufferKind == 1 }),
      .init("text", { $0.where(I.text == "t3") }, where: { $0.content == .text("t3") }),
      .init(
        "texts", { $0.where(I.text.hasPrefix("t1")).orderBy(I.text.descending) },
        answer: { $0.filter { $0.fields.text?.hasPrefix("t1") == true }.stableSorted { $0.text! > $1.text! } }),
      .init(
        "no text", { $0.where(I.text.isNull).limit(5) },
        answer: { Array($0.filter { $0.fields.text == nil }.prefix(5)) }),
    ]
    if S.version == 1 {
      questions += [
        .init("old", { $0.where(I.old == "o2") }, where: { $0.old == "o2" }),
        .init("not old", { $0.where(I.old == nil) }, where: { $0.old == nil }),
      ]
    }
    if S.version >= 2 {
      questions += [
        .init("unrated", { $0.where(I.rating.isNull) }, where: { $0.rating == nil }),
        .init("rated", { $0.where(I.rating >= 0.5) }, where: { $0.rating.map { $0 >= 0.5 } ?? false }),
        .init("no number", { $0.where(I.rating == .nan) }, where: { _ in false }),
        .init("by rating", { $0.orderBy(I.rating.ascending) }, answer: { $0.stableSorted { $0.rates(before: $1) } }),
        .init(
          "best", { $0.orderBy(I.rating.descending).limit(4).offset(1) },
          answer: { Array($0.stableSorted { $1.rates(before: $0) }.dropFirst().prefix(4)) }),
      ]
    }
    if S.version == 2 {
      questions += [
        .init("standard serial", { $0.where(I.serial == 7) }, where: { $0.serial == 7 }),
        .init("high serials", { $0.where(I.serial > UInt64(Int64.max)) }, where: { $0.serial > UInt64(Int64.max) }),
        .init("by serial", { $0.orderBy(I.serial.ascending) }, answer: { $0.stableSorted { $0.serial < $1.serial } }),
      ]
    }
    if S.version >= 3 {
      questions += [
        .init("captions", { $0.where(I.caption >= "c3") }, where: { $0.caption.map { $0 >= "c3" } ?? false }),
        .init("coded", { $0.where(I.code.isNotNull) }, where: { $0.code != nil }),
        .init("code", { $0.where(I.code == "k4") }, where: { $0.code == "k4" }),
      ]
      questions += several
    }
    return questions
  }

  /// Questions about fields that an index has together.
  private static var several: [ItemQuestion] {
    typealias I = Item<S>
    // One statement for each, which takes the compiler less time than a list.
    let red = ItemQuestion("red by rating") {
      $0.where(I.color == 0).orderBy(I.rating.descending).limit(5)
    } answer: { items in
      Array(items.filter { $0.fields.color == 0 }.stableSorted { $1.rates(before: $0) }.prefix(5))
    }
    let blue = ItemQuestion("blue by rating") {
      $0.where(I.color == 2).orderBy(I.rating.ascending)
    } answer: { items in
      items.filter { $0.fields.color == 2 }.stableSorted { $0.rates(before: $1) }
    }
    let coded = ItemQuestion("five, coded") {
      $0.where(I.count == 5 && I.code == "k4")
    } where: {
      $0.count == 5 && $0.code == "k4"
    }
    let rated = ItemQuestion("no content, rated") {
      $0.where(I.kind.isNull && I.count.in([3, 5]) && I.rating >= 0)
    } where: { fields in
      guard fields.content == nil, let rating = fields.rating else { return false }
      return [3, 5].contains(fields.count) && rating >= 0
    }
    let images = ItemQuestion("unrated images") {
      $0.where(I.kind == 2 && I.count == 4 && I.rating == nil)
    } where: { fields in
      fields.content?.flatBufferKind == 2 && fields.count == 4 && fields.rating == nil
    }
    return [red, blue, coded, rated, images]
  }
}

extension ItemFields {
  var text: String? { if case .text(let text)? = content { text } else { nil } }

  var caption: String? { if case .caption(let text)? = content { text } else { nil } }

  /// Returns true if the rating precedes the other one: null comes first, then numbers, then NaN.
  func rates(before other: ItemFields) -> Bool {
    switch (rating, other.rating) {
    case (_, nil): false
    case (nil, _): true
    case (let left?, let right?): right.isNaN ? !left.isNaN : left < right
    }
  }
}

extension Array {
  /// Keeps equal objects in the order of their rows.
  func stableSorted<S>(_ isBefore: (ItemFields<S>, ItemFields<S>) -> Bool) -> [Item<S>] where Element == Item<S> {
    enumerated().sorted {
      isBefore($0.element.fields, $1.element.fields)
        || !isBefore($1.element.fields, $0.element.fields) && $0.offset < $1.offset
    }.map(\.element)
  }
}

/// Runs all queries, compares their answers with the stored objects, and checks the file.
func expectRightAnswers<S: ItemSchema>(
  _ schema: S.Type, from workspace: SQLiteWorkspace, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let stored = try EntityFileCheck(Item<S>.self, in: workspace.filePath).objects(sourceLocation: sourceLocation)
  // A snapshot shows other workspaces' commits at once.
  try workspace.fetchWithinASnapshot {
    for question in ItemQuestion<S>.all {
      let answer = question.answer(stored).map(\._rowid)
      let given = try question.query(workspace.query(for: Item<S>.self)).fetch().map(\._rowid)
      #expect(given == answer, "\(S.self): \(question.name)", sourceLocation: sourceLocation)
    }
  }
}
