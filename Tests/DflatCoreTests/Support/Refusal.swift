/// An error of a closure.
struct Refusal: Error, Equatable {
  var reason = "refused"
}
