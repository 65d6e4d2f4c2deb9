import DflatEntities

/// The schemas of programs that share objects of `Item`, each with the text that `dflatc` would give them.
enum ItemText {
  static let first = text(fields: firstFields)
  static let firstFields = [
    "key: string (primary)", "count: int = 5", "color: Color", "content: Content", "old: string",
  ]
  /// A successor of the first one.
  static let second = text(fields: firstFields + ["rating: double = null", "serial: ulong = 7"])
  /// Another successor of the first one, which contradicts the second.
  static let other = text(fields: firstFields + ["note: string"])
  /// The first one, after a field was deleted from its middle.
  static let shortened = text(fields: firstFields.filter { !$0.hasPrefix("count") })

  static func text(
    colors: String = "Red, Green", base: String = "byte", content: String = "Text", fields: [String], end: String = ""
  ) -> String {
    """
    enum Color : \(base) { \(colors) }
    table Text { text: string; }
    table Image { url: string; size: int; }
    union Content { \(content) }
    table EvolvingItem { \(fields.map { $0 + ";" }.joined(separator: " ")) }
    root_type EvolvingItem; \(end)
    """
  }

  /// Returns the first schema with another field in the place of the one that begins with the same name.
  static func first(replacing field: String) -> String {
    let name = field.prefix { $0 != ":" } + ":"
    return text(fields: firstFields.map { $0.hasPrefix(name) ? field : $0 })
  }
}

enum FirstProgram: ItemSchema {
  static let version = 1
  static let entity = ItemPath.entity([.init("count", ItemPath.count)], schema: ItemText.first)
}

enum SecondProgram: ItemSchema {
  static let version = 2
  static let entity = ItemPath.entity([.init("rating", ItemPath.rating)], schema: ItemText.second)
}

enum OtherProgram: ItemSchema {
  static let version = 1
  static let entity = ItemPath.entity([], schema: ItemText.other)
}

enum ShortenedProgram: ItemSchema {
  static let version = 1
  static let entity = ItemPath.entity([.init("count", ItemPath.count)], schema: ItemText.shortened)
}
