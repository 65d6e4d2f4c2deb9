/// The selection by `--only`.
enum Selection {
  /// Returns the item with exactly this id, else all items whose id contains the text. Returns all items if the text is
  /// nil.
  static func matching<Item>(_ text: String?, in items: [Item], id: (Item) -> String) -> [Item] {
    guard let text else { return items }
    let exact = items.filter { id($0) == text }
    return exact.isEmpty ? items.filter { id($0).contains(text) } : exact
  }
}
