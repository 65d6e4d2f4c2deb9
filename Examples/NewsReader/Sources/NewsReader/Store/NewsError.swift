/// What the user is told and can do something about.
struct NewsError: Error, CustomStringConvertible {
  let description: String
}
