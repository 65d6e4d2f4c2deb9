package import DflatSchema

extension QueryField {
  /// Creates the field at the end of a query's path; nil for a vector.
  package init?(_ path: QueryPath) {
    guard case .value(let leaf) = path.target else { return nil }
    self.init(FieldPath(path.steps.map { .init($0) }, .init(leaf)), keyPosition: path.keyPosition)
  }
}
