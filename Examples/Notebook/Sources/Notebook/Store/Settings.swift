/// The user's settings, one value of the dictionary. It may gain fields: a stored value takes those that it lacks from
/// the key's default.
struct Settings: Codable, Equatable, Sendable {
  var theme = Theme.light
  /// The maximum number of notes in a list.
  var pageSize = 10
  /// The number of words around a match. New in release 2.
  var snippetWords = 6
}

enum Theme: String, Codable, Sendable {
  case light, dark
}

/// How lists show tags.
enum TagStyle: String, Codable, Sendable {
  /// `#swift #linux`
  case hashtags
  /// `[swift, linux]`
  case brackets
  case hidden
}
