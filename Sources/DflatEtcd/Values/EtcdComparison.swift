#if Etcd

  /// A condition of a transaction.
  ///
  ///     .isMissing("turn")
  ///     .modRevision(of: "head", .equal, to: entry.modRevision)
  public struct EtcdComparison: Hashable, Sendable {
    /// The relation that has to hold.
    public enum Relation: String, Hashable, Sendable {
      /// The key's attribute is the operand.
      case equal = "EQUAL"
      /// The key's attribute is another than the operand.
      case notEqual = "NOT_EQUAL"
      /// The key's attribute is greater than the operand.
      case greater = "GREATER"
      /// The key's attribute is less than the operand.
      case less = "LESS"
    }

    enum Attribute: Hashable {
      case value([UInt8])
      case version(Int64)
      case createRevision(Int64)
      case modRevision(Int64)
      case lease(Int64)
    }

    let key: EtcdKey
    let relation: Relation
    let attribute: Attribute

    /// Compares a key's value by its bytes. False, in every relation, for a missing key.
    public static func value(of key: EtcdKey, _ relation: Relation, to value: [UInt8]) -> Self {
      Self(key: key, relation: relation, attribute: .value(value))
    }

    /// Compares the number of writes since the key was created, which is 0 for a missing key.
    public static func version(of key: EtcdKey, _ relation: Relation, to version: Int64) -> Self {
      Self(key: key, relation: relation, attribute: .version(version))
    }

    /// Compares the revision that created the key, which is 0 for a missing key.
    public static func createRevision(of key: EtcdKey, _ relation: Relation, to revision: Int64) -> Self {
      Self(key: key, relation: relation, attribute: .createRevision(revision))
    }

    /// Compares the revision of the key's last write, which is 0 for a missing key.
    public static func modRevision(of key: EtcdKey, _ relation: Relation, to revision: Int64) -> Self {
      Self(key: key, relation: relation, attribute: .modRevision(revision))
    }

    /// Compares the key's lease; nil compares with having none.
    public static func lease(of key: EtcdKey, _ relation: Relation, to lease: EtcdLease.ID?) -> Self {
      Self(key: key, relation: relation, attribute: .lease(lease?.number ?? 0))
    }

    /// True if the key exists.
    public static func exists(_ key: EtcdKey) -> Self { createRevision(of: key, .greater, to: 0) }

    /// True if the key doesn't exist.
    public static func isMissing(_ key: EtcdKey) -> Self { createRevision(of: key, .equal, to: 0) }
  }

#endif
