#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The stored form of a sealed value (docs/storage-format.md):
///
///     version: 1 byte │ key identifier: 8 │ nonce: 12 │ ciphertext: that of the plaintext │ tag: 16
///
/// Only a key's owner can read more of an envelope than this form.
struct SealEnvelope {
  static let version: UInt8 = 1
  private static let identifierCount = 8
  /// The size of nonce and tag.
  private static let cipherOverhead = 12 + 16
  static let headerCount = 1 + identifierCount
  /// The size of an envelope of the shortest plaintext, which is a type tag.
  static let leastCount = headerCount + cipherOverhead + 1

  let identifier: UInt64
  /// Nonce, ciphertext and tag.
  let sealed: [UInt8]

  init(identifier: UInt64, sealed: [UInt8]) {
    self.identifier = identifier
    self.sealed = sealed
  }

  /// Reads an envelope.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` for a newer version, `.sealBroken` for bytes that no writer
  ///   has made.
  init(_ bytes: Data) throws {
    let bytes = [UInt8](bytes)
    guard let version = bytes.first else { throw WorkspaceError.sealBroken }
    guard version == Self.version else { throw WorkspaceError.unknownEnvelope(version) }
    guard bytes.count >= Self.leastCount else { throw WorkspaceError.sealBroken }
    identifier = Self.identifier(bytes)
    sealed = Array(bytes[Self.headerCount...])
  }

  var bytes: Data {
    var bytes = Data(capacity: Self.headerCount + sealed.count)
    bytes.append(Self.version)
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: identifier >> UInt64(shift))) }
    bytes.append(contentsOf: sealed)
    return bytes
  }

  /// Returns the identifier of the key in the header of an envelope; nil for a newer version, or if there is no header.
  static func identifier(in bytes: Data) -> UInt64? {
    bytes.first == version && bytes.count >= headerCount ? identifier([UInt8](bytes.prefix(headerCount))) : nil
  }

  private static func identifier(_ bytes: [UInt8]) -> UInt64 {
    bytes[1..<headerCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns true if bytes have the form of an envelope. Whether a key opens it is another question.
  static func isWellFormed(_ bytes: Data) -> Bool { bytes.first == version && bytes.count >= leastCount }

  /// An SQL condition that is true for a row whose type is sealed and whose value doesn't have the form of an envelope.
  static let isMalformedRow = """
    type = \(TypeTag.sealed.rawValue) AND typeof(value) = 'blob' \
    AND (length(value) < \(leastCount) OR substr(value, 1, 1) <> x'0\(version)')
    """
}

extension StoredValue {
  /// The identifier of a sealed value's key; nil for other values, and for envelopes of a newer version.
  package var sealKeyIdentifier: UInt64? {
    if case .sealed(let envelope) = self { SealEnvelope.identifier(in: envelope) } else { nil }
  }
}
