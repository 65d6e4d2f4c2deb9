#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The dictionary's part of a change-log row (docs/storage-format.md). Other processes update their caches from it.
///
/// Small values are part of the record, so that observers in other processes see each commit's value, not just the
/// newest. If the values don't fit, the record holds only the keys; if the keys don't fit, only the names of the
/// changed namespaces; if these don't fit, nothing but the fact that something changed.
enum ChangeRecord {
  static let kind: UInt8 = 1
  /// The maximum size in bytes of a record. A larger one leaves out values, then keys, then namespaces.
  static let capacity = 4_096
  /// The maximum size in bytes of a value that a record includes.
  static let inlineLimit = 512

  enum Change {
    case set(namespace: String, key: String, CachedValue)
    case remove(namespace: String, key: String)
    /// The key's value had expired, and was removed.
    case expire(namespace: String, key: String)
    /// The key has a new value, to be read from its row. If an older commit wrote the row, the key is unchanged: the
    /// preceding removals spared it.
    case reload(namespace: String, key: String)
    case removePrefix(namespace: String, prefix: String)
    /// Any key of the namespace may have changed.
    case unknown(namespace: String)
  }

  private enum Code: UInt8 {
    case set = 1
    case remove, reload, removePrefix, unknown
    /// Separates the changes of two transactions.
    case next
    /// Anything may have changed. Older versions don't know it, and therefore assume the same.
    case everything
    case expire
  }

  // MARK: Writing

  /// Returns the record of a group's changes, with as much detail as the capacity permits.
  static func encode(_ members: [MemberChanges], names: (UInt32) -> String) -> [UInt8] {
    encode(members, withValues: true, names: names) ?? encode(members, withValues: false, names: names)
      ?? encodeUnknown(members, names: names) ?? [Code.everything.rawValue]
  }

  /// Returns nil if the record would exceed the capacity.
  private static func encode(
    _ members: [MemberChanges], withValues: Bool, names: (UInt32) -> String
  ) -> [UInt8]? {
    var writer = RecordWriter()
    for (index, member) in members.enumerated() {
      if index > 0 { writer.write(Code.next.rawValue) }
      for operation in member {
        write(operation, withValues: withValues, names: names, to: &writer)
        if writer.bytes.count > capacity { return nil }
      }
    }
    return writer.bytes
  }

  private static func write(
    _ operation: Operation, withValues: Bool, names: (UInt32) -> String, to writer: inout RecordWriter
  ) {
    switch operation {
    case .set(let key, .absent): write(.remove, names(key.namespace), key.string, to: &writer)
    case .set(let key, let value):
      let isInline = withValues && value.byteCount <= inlineLimit
      write(isInline ? .set : .reload, names(key.namespace), key.string, to: &writer)
      if isInline { write(value, to: &writer) }
    case .expire(let key): write(.expire, names(key.namespace), key.string, to: &writer)
    case .removePrefix(let removal): write(.removePrefix, names(removal.namespace), removal.prefix, to: &writer)
    // The row's older commit number shows a reader that the removal spared the key.
    case .keep(let key, _): write(.reload, names(key.namespace), key.string, to: &writer)
    }
  }

  /// Returns nil if the record would exceed the capacity.
  private static func encodeUnknown(_ members: [MemberChanges], names: (UInt32) -> String) -> [UInt8]? {
    var namespaces: Set<UInt32> = []
    for operation in members.joined() { namespaces.insert(operation.namespace) }
    var writer = RecordWriter()
    for namespace in namespaces.sorted() {
      writer.write(Code.unknown.rawValue)
      writer.write(counted: names(namespace))
      if writer.bytes.count > capacity { return nil }
    }
    return writer.bytes
  }

  private static func write(_ code: Code, _ namespace: String, _ key: String, to writer: inout RecordWriter) {
    writer.write(code.rawValue)
    writer.write(counted: namespace)
    writer.write(counted: key)
  }

  private static func write(_ value: CachedValue, to writer: inout RecordWriter) {
    func number(_ tag: TypeTag, _ bits: UInt64) {
      writer.write(tag.rawValue)
      writer.write(bits)
    }
    func bytes(_ tag: TypeTag, _ bytes: some Collection<UInt8>) {
      writer.write(tag.rawValue)
      writer.write(counted: bytes)
    }
    if let expiration = value.expiration { number(.expiring, UInt64(expiration.milliseconds)) }
    switch value.stored {
    case nil: preconditionFailure("An absent value must be written as a removal.")
    case .bool(let value)?: number(.bool, value ? 1 : 0)
    case .int(let value)?: number(.int, UInt64(bitPattern: value))
    case .uint(let value)?: number(.uint, value)
    case .float(let value)?: number(.float, UInt64(value.bitPattern))
    case .double(let value)?: number(.double, value.bitPattern)
    case .string(let text)?: bytes(.string, text.utf8)
    case .data(let data)?: bytes(.data, data)
    case .propertyList(let data)?: bytes(.propertyList, data)
    case .flatBuffers(let data, let version)?:
      bytes(.flatBuffers, data)
      writer.write(UInt8(version == nil ? 0 : 1))
      if let version { writer.write(counted: version) }
    case .sealed(let envelope)?: bytes(.sealed, envelope)
    }
  }

  // MARK: Reading

  /// Returns the changes of each transaction. Nil if anything may have changed, because the record says so or can't be
  /// parsed.
  static func decode(_ record: RecordReader) -> [[Change]]? {
    var reader = record
    var members: [[Change]] = [[]]
    var previous = Code.next
    while !reader.isAtEnd {
      guard let code = reader.byte().flatMap(Code.init) else { return nil }
      if code == .next {
        members.append([])
      } else {
        // The removals come first in a transaction.
        if code == .removePrefix, previous != .removePrefix, previous != .next { return nil }
        guard let change = change(code, &reader) else { return nil }
        members[members.count - 1].append(change)
      }
      previous = code
    }
    return members
  }

  private static func change(_ code: Code, _ reader: inout RecordReader) -> Change? {
    guard let namespace = text(&reader) else { return nil }
    if code == .unknown { return .unknown(namespace: namespace) }
    guard let key = text(&reader) else { return nil }
    switch code {
    case .set: return value(&reader).map { .set(namespace: namespace, key: key, $0) }
    case .remove: return .remove(namespace: namespace, key: key)
    case .expire: return .expire(namespace: namespace, key: key)
    case .reload: return .reload(namespace: namespace, key: key)
    case .removePrefix: return .removePrefix(namespace: namespace, prefix: key)
    case .unknown, .next, .everything: return nil
    }
  }

  private static func text(_ reader: inout RecordReader) -> String? {
    reader.counted().map { String(decoding: $0, as: UTF8.self) }
  }

  private static func value(_ reader: inout RecordReader, isExpiring: Bool = false) -> CachedValue? {
    guard let tag = reader.byte().flatMap(TypeTag.init) else { return nil }
    switch tag {
    case .expiring:
      guard !isExpiring, let milliseconds = reader.number().flatMap(Int64.init(exactly:)),
        let value = value(&reader, isExpiring: true)
      else { return nil }
      return value.expiring(at: Expiration(milliseconds: milliseconds))
    case .bool: return reader.number().map { .bool($0 != 0) }
    case .int: return reader.number().map { .int(Int64(bitPattern: $0)) }
    case .uint: return reader.number().map { .uint($0) }
    case .float: return reader.number().flatMap { UInt32(exactly: $0) }.map { .float(Float(bitPattern: $0)) }
    case .double: return reader.number().map { .double(Double(bitPattern: $0)) }
    case .string: return text(&reader).map { CachedValue(.string($0)) }
    case .data: return reader.counted().map { CachedValue(.data(Data($0))) }
    case .propertyList: return reader.counted().map { CachedValue(.propertyList(Data($0))) }
    case .sealed: return reader.counted().map { CachedValue(.sealed(Data($0))) }
    case .flatBuffers:
      guard let bytes = reader.counted(), let hasVersion = reader.byte() else { return nil }
      var version: String?
      if hasVersion == 1 {
        guard let text = text(&reader) else { return nil }
        version = text
      }
      return CachedValue(.flatBuffers(Data(bytes), schemaVersion: version))
    }
  }
}
