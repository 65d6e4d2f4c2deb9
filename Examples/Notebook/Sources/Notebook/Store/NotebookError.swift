/// An error that the user can act on.
struct NotebookError: Error, CustomStringConvertible {
  let description: String
}
