/// Encrypts and authenticates bytes with one key. DflatSealing has the conformer, so that only its users depend on a
/// library of cryptography.
package protocol SealCipher: AnyObject, Sendable {
  /// Identifies the key, without revealing anything of it. Part of each envelope.
  var identifier: UInt64 { get }

  /// Returns a random nonce of 12 bytes, the ciphertext, which has the size of the plaintext, and a tag of 16 bytes.
  func seal(_ plaintext: [UInt8], authenticating place: [UInt8]) throws -> [UInt8]

  /// Returns the plaintext; nil if it wasn't sealed with this key and this place.
  func open(_ sealed: [UInt8], authenticating place: [UInt8]) -> [UInt8]?
}
