import DflatCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Seals the values of a namespace, and opens them. An envelope is bound to its namespace and key.
///
/// Runs no user code. Neither plaintexts nor opened values are kept: each read opens the envelope.
package final class NamespaceSeal: Sendable {
  private let cipher: any SealCipher
  /// The ciphers of older keys, which only open.
  private let earlier: [any SealCipher]
  /// The authenticated bytes up to the key: the version of envelopes, and the namespace after its size.
  private let place: [UInt8]

  package init(namespace: String, by cipher: any SealCipher, earlier: [any SealCipher] = []) {
    self.cipher = cipher
    self.earlier = earlier
    var place = [SealEnvelope.version]
    place.append(counted: namespace)
    self.place = place
  }

  // MARK: Sealing

  /// Returns an encoded value sealed; an absence unchanged.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.unencodable` for an envelope, or the cipher's error.
  func sealed(_ value: CachedValue, forKey key: String, isResealing: Bool = false) throws -> CachedValue {
    guard let stored = value.stored else { return value }
    guard stored.kind != .sealed else { throw WorkspaceError.sealedTwice }
    let envelope = SealEnvelope(
      identifier: cipher.identifier,
      sealed: try cipher.seal(TaggedValue.encode(stored), authenticating: place(of: key)))
    let write = SealedWrite(by: self, schema: value.schema, isResealing: isResealing)
    return .boxed(ValueBox(.sealed(envelope.bytes, by: write)))
  }

  // MARK: Opening

  /// Returns the value in an envelope; an absence unchanged.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.notSealed`, `.wrongSealKey`, `.sealBroken`, or `.undecodable` for an
  ///   envelope of a newer version, all without the key.
  func opened(_ value: CachedValue, forKey key: String) throws -> CachedValue {
    if value.isAbsent { return value }
    guard case .boxed(let box) = value, case .sealed(let bytes, _) = box.content else { throw WorkspaceError.notSealed }
    return try opened(bytes, forKey: key)
  }

  private func opened(_ bytes: Data, forKey key: String) throws -> CachedValue {
    let envelope = try SealEnvelope(bytes)
    let place = place(of: key)
    guard let cipher = ([cipher] + earlier).first(where: { $0.identifier == envelope.identifier }) else {
      // An identifier that was changed is not another key's.
      let isOwn = ([cipher] + earlier).contains { $0.open(envelope.sealed, authenticating: place) != nil }
      throw isOwn ? WorkspaceError.sealBroken : WorkspaceError.wrongSealKey
    }
    guard let plaintext = cipher.open(envelope.sealed, authenticating: place),
      let value = TaggedValue.decode(plaintext), value.kind != .sealed
    else { throw WorkspaceError.sealBroken }
    return value
  }

  private func place(of key: String) -> [UInt8] {
    var place = place
    place.append(counted: key)
    return place
  }

  // MARK: Keys

  /// Returns true if the identifier is that of a key of this seal.
  func knows(_ identifier: UInt64) -> Bool { ([cipher] + earlier).contains { $0.identifier == identifier } }

  /// Returns true if a value is an envelope of the key that this seal writes with, as far as the identifier tells.
  func hasCurrentKey(_ value: CachedValue) -> Bool {
    guard case .boxed(let box) = value, case .sealed(let bytes, _) = box.content else { return false }
    return SealEnvelope.identifier(in: bytes) == cipher.identifier
  }
}

/// The seal of a value that waits to be written, and its purpose.
final class SealedWrite: Sendable {
  let seal: NamespaceSeal
  /// The schema of the value's type, to be stored with it; nil if it has none.
  let schema: DeclaredSchema?
  /// True for a value that replaces itself, sealed with another key or not at all.
  let isResealing: Bool
  /// The authority of the first of the transaction's writes to the key, if this is a later one. Each of them may
  /// replace the one before. Whether the first may replace the row is checked when the last is applied.
  let first: SealAuthority?

  init(by seal: NamespaceSeal, schema: DeclaredSchema?, isResealing: Bool, first: SealAuthority? = nil) {
    self.seal = seal
    self.schema = schema
    self.isResealing = isResealing
    self.first = first
  }

  /// Opens the value that a row has, with the first write's seal if this one's can't.
  ///
  /// - Throws: As `NamespaceSeal.opened(_:forKey:)`.
  func opened(_ old: CachedValue, forKey key: String) throws -> CachedValue {
    do { return try seal.opened(old, forKey: key) } catch let error as WorkspaceError where error.code == .wrongSealKey
    {
      guard case .owner(let other)? = first else { throw error }
      return try other.opened(old, forKey: key)
    }
  }

  /// Returns true if this write, or the first one, may add a key beside values that are sealed with this key.
  func mayAdd(besideValuesSealedBy identifier: UInt64) -> Bool {
    if seal.knows(identifier) { return true }
    switch first {
    case .owner(let other)?: return other.knows(identifier)
    case .any?: return true
    case .unsealed?, nil: return false
    }
  }
}

extension CachedValue {
  /// The seal of a value that waits to be written; nil for other values.
  @inline(__always)
  var sealedWrite: SealedWrite? { if case .boxed(let box) = self { box.sealedWrite } else { nil } }

  /// Returns the same value as a write that follows another one of its transaction to the key.
  func following(_ staged: CachedValue) -> CachedValue {
    let earlier = staged.sealedWrite
    // The values of a rotation are in the file before later writes are applied.
    guard case .boxed(let box) = self, let write = box.sealedWrite, earlier?.isResealing != true else { return self }
    switch box.content {
    case .sealed(let envelope, _):
      let later = SealedWrite(
        by: write.seal, schema: write.schema, isResealing: write.isResealing,
        first: earlier?.first ?? staged.sealAuthority)
      return .boxed(ValueBox(.sealed(envelope, by: later)))
    case .expiring(let expiration, let value): return value.following(staged).expiring(at: expiration)
    case .string, .data, .propertyList, .flatBuffers: return self
    }
  }

  /// The same value without its writer, for the cache.
  @inline(__always)
  var committed: CachedValue {
    guard case .boxed(let box) = self, box.sealedWrite != nil else { return self }
    switch box.content {
    case .sealed(let envelope, _): return .boxed(ValueBox(.sealed(envelope, by: nil)))
    case .expiring(let expiration, let value): return value.committed.expiring(at: expiration)
    case .string, .data, .propertyList, .flatBuffers: return self
    }
  }
}

extension [UInt8] {
  /// Appends the size of a text's UTF-8 as eight bytes, the lowest first, and the bytes.
  fileprivate mutating func append(counted text: String) {
    let count = UInt64(text.utf8.count)
    for shift in 0..<8 { append(UInt8(truncatingIfNeeded: count >> (8 * UInt64(shift)))) }
    append(contentsOf: text.utf8)
  }
}
