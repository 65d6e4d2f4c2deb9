import DflatEntities

/// The schemas of three successive versions of a program that share objects of `Item`.
private enum SuccessiveText {
  private static let fields = ["key: string (primary)", "count: int = 5", "color: Color", "content: Content"]

  static let oldest = ItemText.text(fields: fields + ["old: string"])
  static let middle = ItemText.text(
    colors: "Red, Green, Blue", content: "Text, Image",
    fields: fields + ["old: string (deprecated)", "rating: double = null", "serial: ulong = 7"])
  /// Has a field that `Item` never reads, `note`.
  static let newest = ItemText.text(
    colors: "Red, Green, Blue, Black", content: "Text, Image, Caption: string",
    fields: fields + [
      "old: string (deprecated)", "rating: double = null", "serial: ulong = 7 (deprecated)", "code: string (unique)",
      "note: string",
    ])
}

enum OldestProgram: ItemSchema {
  static let version = 1
  static let entity = ItemPath.entity(
    [.init("count", ItemPath.count), .init("old", ItemPath.old)], schema: SuccessiveText.oldest)
}

enum MiddleProgram: ItemSchema {
  static let version = 2
  static let entity = ItemPath.entity(
    [.init("rating", ItemPath.rating), .init("serial", ItemPath.serial)], schema: SuccessiveText.middle)
}

enum NewestProgram: ItemSchema {
  static let version = 3
  static let entity = ItemPath.entity(
    [
      .init("color", ItemPath.color(3)), .init("content.as(String.self)", ItemPath.caption),
      .init("rating", ItemPath.rating), .init("code", ItemPath.code, isUnique: true),
    ], schema: SuccessiveText.newest)
}

typealias OldestItem = Item<OldestProgram>
typealias MiddleItem = Item<MiddleProgram>
typealias NewestItem = Item<NewestProgram>
