import DflatCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value that a write has replaced or removed, although the program's type could not read it.
///
/// The transaction of the write keeps the old bytes aside, in two cases:
/// - A read of the same workspace, or one of its typed subscriptions, has found that its type can't read the value.
///   This includes writes that remove the key: a change through an optional, such as `dictionary["n", Int.self]? += 1`,
///   may read nil and store it.
/// - The values are of different kinds: a `Bool`, a number, a string, data, a property list, or a FlatBuffer of one
///   schema version. The write doesn't decode the old value, so this includes values that the type could have read.
///
/// Any other removal keeps nothing aside, nor does one of many keys (`removeAll`), also if the same transaction then
/// writes some of them again. The removal and the write of a single key in one transaction are one write. A write over
/// a value that was never committed, or one that expires, keeps nothing.
///
/// A file keeps the newest 1,024 values, at most 8 of each key, and at most 16 MiB, counting keys, namespaces and
/// values. Values go first that were replaced by others of their kind, and that a read only wanted as another type: the
/// program may have been looking for the type. A value of more than 4 MiB is not kept. If a read has found a value
/// unreadable, and it is not kept because of its size, or because its own commit replaced more than a file keeps, the
/// error handler receives `.tooLarge`.
public struct ReplacedValue: Identifiable, Sendable {
  /// Identifies a replaced value in its file: the number of the commit that replaced it, and its position among the
  /// values that the commit replaced, from 1. As text `42.1`.
  public struct ID: Hashable, Sendable, LosslessStringConvertible {
    /// The number of the commit that replaced the value.
    public let commitNumber: UInt64
    /// The position among the values that the commit replaced.
    public let position: Int

    init(commitNumber: UInt64, position: Int) {
      self.commitNumber = commitNumber
      self.position = position
    }

    /// Creates an ID from its text; nil if the text is no ID.
    public init?(_ description: String) {
      let parts = description.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let commitNumber = UInt64(parts[0]), let position = Int(parts[1]), position >= 0 else {
        return nil
      }
      self.init(commitNumber: commitNumber, position: position)
      // Refuse signs and leading zeros, which the numbers' initializers accept.
      guard self.description.utf8.elementsEqual(description.utf8) else { return nil }
    }

    public var description: String { "\(commitNumber).\(position)" }
  }

  /// Identifies the value in its file.
  public let id: ID
  /// The key's namespace; "" is the root.
  public let namespace: String
  /// The key.
  public let key: String
  /// The time at which the value was replaced, in whole seconds, by the clock of the machine that replaced it.
  public let date: Date
  /// The size in bytes of key, namespace and value.
  public let byteCount: Int
  let stored: Result<CachedValue, WorkspaceError>

  /// The value; nil if this version of the library doesn't know its type, its row was damaged, or the key of the
  /// dictionary that listed it doesn't open it.
  public var value: StoredValue? { (try? stored.get())?.stored }

  /// Returns the same value as its key's owner reads it.
  func opened(by seal: NamespaceSeal) -> ReplacedValue {
    let opened = stored.flatMap { value in
      Result { try seal.opened(value, forKey: key) }.mapError {
        WorkspaceError.wrapping($0, path: "", doing: "Reading")
      }
    }
    return ReplacedValue(id: id, namespace: namespace, key: key, date: date, byteCount: byteCount, stored: opened)
  }
}
