/// An error that the user can act on.
struct NewsError: Error, CustomStringConvertible {
  let description: String
}
