/// A small value of a program's own type, stored as a property list.
struct Preferences: Codable, Equatable, Sendable {
  var identifier: Int
  var title: String
  var ratio: Double
  var isEnabled: Bool

  init(_ number: Int) {
    identifier = number
    title = "item \(number)"
    ratio = Double(number) / 3
    isEnabled = number.isMultiple(of: 2)
  }
}
