/// A failure of the tests' own machinery.
public struct ClusterError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
