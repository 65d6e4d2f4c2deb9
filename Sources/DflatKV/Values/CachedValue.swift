import DflatCore

/// A value in the cache: numbers inline, everything else in a box. Takes 9 bytes, so that an entry stays small.
enum CachedValue: Sendable {
  /// The dictionary is known to have no value.
  case absent
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case float(Float)
  case double(Double)
  case boxed(ValueBox)
  /// The value of a plain write, to be encoded when its group is applied. Only overlays hold deferred values: those
  /// that a transaction stages, a group writes or the cache holds are encoded.
  case deferred(DecodedValue)

  init(_ value: StoredValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .uint(let value): self = .uint(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .boxed(ValueBox(.string(text)))
    case .data(let bytes): self = .boxed(ValueBox(.data(bytes)))
    case .propertyList(let bytes): self = .boxed(ValueBox(.propertyList(bytes)))
    case .flatBuffers(let bytes, let version):
      let copy = bytes.withUnsafeBytes { ByteBuffer(copying: $0) }
      self = .boxed(ValueBox(.flatBuffers(copy, schemaVersion: version)))
    case .sealed(let envelope): self = .boxed(ValueBox(.sealed(envelope, by: nil)))
    }
  }

  /// The value without its expiration; nil for an absence. Traps for a deferred value: see `encoded()`.
  var stored: StoredValue? {
    switch self {
    case .absent: nil
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .uint(let value): .uint(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .boxed(let box): box.stored
    case .deferred: preconditionFailure("A deferred value must be encoded before it is read.")
    }
  }

  /// Returns the same value, encoded. Runs user code for a deferred value, so never call it under a lock (A11).
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.unencodable` if a deferred value can't be encoded.
  func encoded() throws -> CachedValue {
    if case .deferred(let value) = self { .boxed(ValueBox(try value.encoded(), decoded: value)) } else { self }
  }

  /// The stored type, of a value that expires without its expiration; nil for an absence.
  var kind: StoredValue.Kind? {
    switch self {
    case .deferred: .flatBuffers
    case .boxed(let box): box.kind
    case .absent: nil
    case .bool: .bool
    case .int: .int
    case .uint: .uint
    case .float: .float
    case .double: .double
    }
  }

  /// The schema to store with the value; nil if there is none. Deferred values, which are encoded before they are
  /// stored, have one then.
  var schema: DeclaredSchema? { if case .boxed(let box) = self { box.schema } else { nil } }

  /// The size of the value in bytes: 8 for every number. Not the size of a deferred value, which isn't known.
  var byteCount: Int { if case .boxed(let box) = self { box.byteCount } else { 8 } }

  var isDeferred: Bool { if case .deferred = self { true } else { false } }

  var isAbsent: Bool { if case .absent = self { true } else { false } }

  var isNumber: Bool {
    switch self {
    case .int, .uint, .float, .double: true
    case .absent, .bool, .boxed, .deferred: false
    }
  }

  /// True for a floating-point zero of either sign.
  var isZero: Bool {
    switch self {
    case .float(let value): value == 0
    case .double(let value): value == 0
    case .absent, .bool, .int, .uint, .boxed, .deferred: false
    }
  }

  /// Returns true for the same type and the same bits; any two NaNs are identical. A deferred value is identical only
  /// to itself: comparisons run under locks, where nothing can be encoded.
  func isIdentical(to other: CachedValue) -> Bool {
    switch (self, other) {
    case (.absent, .absent): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.uint(let a), .uint(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
    case (.boxed(let a), .boxed(let b)): a === b || a.isIdentical(to: b)
    case (.deferred(let a), .deferred(let b)): a === b
    // Without a default, the compiler asks for the comparison of a new case.
    case (.absent, _), (.bool, _), (.int, _), (.uint, _), (.float, _), (.double, _), (.boxed, _), (.deferred, _): false
    }
  }

  /// True if releasing the value may run code of the program: the deinitializer of a decoded object, or the custom
  /// deallocator of a `Data`. True for every encoded value, because a reader may be about to remember a decoded one; a
  /// string remembers none that would.
  var mayRunUserCode: Bool {
    switch self {
    case .absent, .bool, .int, .uint, .float, .double: false
    case .boxed(let box): if case .string = box.content { false } else { true }
    case .deferred: true
    }
  }

  /// The approximate memory that the value takes beyond its entry.
  var byteCost: Int { if case .boxed(let box) = self { box.byteCount + 64 } else { 0 } }
}
