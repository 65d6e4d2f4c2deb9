/// What `--only` selects.
enum Selection {
  /// The item with this very id; where there is none, those whose id contains the text; all without a text.
  static func matching<Item>(_ text: String?, in items: [Item], id: (Item) -> String) -> [Item] {
    guard let text else { return items }
    let exact = items.filter { id($0) == text }
    return exact.isEmpty ? items.filter { id($0).contains(text) } : exact
  }
}
