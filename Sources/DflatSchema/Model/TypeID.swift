/// A type of a schema, by its index there.
enum TypeID: Hashable {
  case enumeration(Int)
  case union(Int)
  case structure(Int)
  case table(Int)
}
