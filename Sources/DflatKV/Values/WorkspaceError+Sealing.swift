import DflatCore

// The errors of sealed values, without their keys.
extension WorkspaceError {
  static let sealed = WorkspaceError(
    .sealed, "The stored value is sealed; use the namespace's dictionary with its key, namespace(_:sealedWith:).")

  static let notSealed = WorkspaceError(
    .notSealed, "The stored value isn't sealed; seal the values that the namespace has, with sealValues(with:), first.")

  static let wrongSealKey = WorkspaceError(
    .wrongSealKey, "The stored value is sealed with another key; use that key, or rotate the namespace's values.")

  static let sealBroken = WorkspaceError(
    .sealBroken,
    "The sealed value was changed, or moved here from another key or namespace; restore a backup, or replace the value."
  )

  static let sealedTwice = WorkspaceError(
    .unencodable, "The value is an envelope already; write it with the namespace's dictionary without a key.")

  static let malformedEnvelope = WorkspaceError(
    .unencodable, "The value is not an envelope; copy sealed values as a whole.")

  static func unknownEnvelope(_ version: UInt8) -> WorkspaceError {
    WorkspaceError(
      .undecodable,
      "The sealed value's envelope has version \(version), which this version of the library doesn't know; update the "
        + "program.")
  }
}
