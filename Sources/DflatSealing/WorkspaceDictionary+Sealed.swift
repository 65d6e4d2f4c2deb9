#if Sealing
  import DflatCore
  public import DflatKV

  extension WorkspaceDictionary {
    /// Returns the dictionary of a namespace whose values are sealed: encrypted, and bound to namespace and key.
    ///
    ///     let secrets = workspace.dictionary.namespace("secrets", sealedWith: key)
    ///     secrets["token"] = "…"
    ///     let token = try secrets.value(forKey: "token", as: String.self)
    ///
    /// The dictionary is used like any other, in transactions, snapshots and subscriptions, and with values of all types.
    /// The file, its side files, the change log, replicas, backups and the workspace's cache have envelopes only; each read
    /// opens one. Visible to anyone who reads the file are the names of namespaces and keys, the sizes of values (all
    /// numbers and `Bool`s have the same), the schemas of FlatBuffers types, and which commit wrote what, when.
    ///
    /// **Errors.** Besides those of other dictionaries, a read throws, and a subscript reports, `.wrongSealKey` for a value
    /// of another key, `.sealBroken` for one that was changed or moved here from another key or namespace, and
    /// `.notSealed` for one that is not sealed. A write over a value of another key, or over one that isn't sealed, is
    /// refused with these codes. So is a write of a new key in a namespace whose first value has another key. A dictionary
    /// without a key gets `.sealed` from reads of a type and from writes over a sealed value; it may remove the value, and
    /// write keys that the namespace doesn't have. A subscription delivers a value that can't be opened as absent, and it
    /// is reported.
    ///
    /// - Parameters:
    ///   - name: The namespace; "" is the root.
    ///   - key: Seals and opens values.
    ///   - earlier: Keys that only open values, for programs that run while a key is rotated.
    public func namespace(
      _ name: String, sealedWith key: SealKey, orOpenedWith earlier: [SealKey] = []
    ) -> WorkspaceDictionary {
      namespace(name, sealedBy: NamespaceSeal(namespace: name, by: key.cipher, earlier: earlier.map(\.cipher)))
    }

    // MARK: Changing keys

    /// Seals the values of this dictionary's namespace that another key has sealed, in one transaction.
    ///
    ///     try workspace.dictionary.namespace("secrets").rotateSealKey(from: old, to: new)
    ///
    /// Values of the new key stay as they are, so a repeated call changes nothing. The replaced values of the namespace that
    /// the old key opens are sealed again, too (``/DflatKV/WorkspaceDictionary/replacedValues(inAllNamespaces:)``). Subscriptions whose dictionary has
    /// the new key receive each value once more; give it the old key as an earlier one, or it receives nothing before the
    /// rotation. Those that only have the old key receive the values as absent.
    ///
    /// Inside a transaction's closure it is part of that transaction. Elsewhere it is a transaction of its own, and
    /// blocks the calling thread as ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does. It reads all values of the namespace
    /// into memory. Bytes of the old envelopes may stay in the write-ahead log, in free pages, in the change log, which
    /// lists at least the last 4,096 commits with small values, and in backups.
    ///
    /// - Returns: The number of values that were sealed.
    /// - Throws: ``/DflatCore/WorkspaceError`` with code `.notSealed`, `.wrongSealKey` or `.sealBroken`, naming the first key whose
    ///   value the old key doesn't open, or `.undecodable` for a value of a newer version; then nothing changes. Also
    ///   the errors of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
    @discardableResult
    public func rotateSealKey(from old: SealKey, to new: SealKey) throws -> Int {
      try reseal(from: seal(by: old), to: seal(by: new))
    }

    /// Rotates the key as the blocking overload does, without blocking the caller's thread.
    ///
    /// - Returns: The number of values that were sealed.
    /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
    @discardableResult
    public func rotateSealKey(from old: SealKey, to new: SealKey) async throws -> Int {
      try await resealAsync(from: seal(by: old), to: seal(by: new))
    }

    /// Seals the values of this dictionary's namespace, none of which is sealed with another key, in one transaction.
    ///
    ///     try workspace.dictionary.namespace("secrets").sealValues(with: key)
    ///
    /// Works as ``rotateSealKey(from:to:)``, and blocks the calling thread as that does. Copies of the values as they were
    /// may stay in the write-ahead log, in free pages, in the change log and in backups.
    ///
    /// - Returns: The number of values that were sealed.
    /// - Throws: ``/DflatCore/WorkspaceError`` with code `.wrongSealKey`, naming the first key whose value another key has sealed, or
    ///   `.undecodable` for a value of a newer version; then nothing changes. Also the errors of
    ///   ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
    @discardableResult
    public func sealValues(with key: SealKey) throws -> Int { try reseal(from: nil, to: seal(by: key)) }

    /// Seals the values as the blocking overload does, without blocking the caller's thread.
    ///
    /// - Returns: The number of values that were sealed.
    /// - Throws: The errors of the blocking overload, except `.wouldDeadlock`.
    @discardableResult
    public func sealValues(with key: SealKey) async throws -> Int {
      try await resealAsync(from: nil, to: seal(by: key))
    }

    private func seal(by key: SealKey) -> NamespaceSeal { NamespaceSeal(namespace: namespaceName, by: key.cipher) }
  }
#endif
