extension Int {
  /// A number of notes, with the noun.
  var notes: String { self == 1 ? "1 note" : "\(self) notes" }
}
