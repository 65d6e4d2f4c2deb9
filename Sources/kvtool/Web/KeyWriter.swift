#if Web
  import DflatCore
  import DflatKV

  /// Writes keys for the page, each in a transaction of its own, as `kvtool set` and `kvtool delete` do.
  struct KeyWriter {
    let open: @Sendable () throws -> OpenDatabase

    /// The key to write, and the commit of the value that the user has seen; nil if the key was absent.
    struct Place {
      let namespace: String
      let key: String
      let commitNumber: UInt64?
    }

    /// Stores a text as a type; without one, as the type that the key has, or as a string. A key that expires still does
    /// so at the same time: the page has no field for it.
    ///
    /// Blocks the calling thread until the value is committed.
    ///
    /// - Throws: ``ToolError``, with the status `conditionNotMet` if the key has changed meanwhile; `WorkspaceError`.
    func set(_ place: Place, to text: String, as type: ValueType?) throws {
      let text = ValueText(text)
      try change(place) { dictionary in
        let current = try dictionary.storedValue(forKey: place.key)
        do { try dictionary.requireSameSeal(for: current) } catch let failure as ValueFailure {
          throw failure.toolError(key: place.key)
        }
        let value = try ValueFailure.naming(place.key) { () throws(ValueFailure) in
          if let type { return try text.value(as: type) }
          return if let current { try text.value(replacing: current) } else { try text.value(as: .string) }
        }
        dictionary.set(value, forKey: place.key, expiringAt: try dictionary.expirationDate(forKey: place.key))
      }
    }

    /// Removes a key. Blocks and throws as ``set(_:to:as:)``.
    func delete(_ place: Place) throws {
      try change(place) { $0.removeValue(forKey: place.key) }
    }

    private func change(_ place: Place, _ body: (WorkspaceDictionary) throws -> Void) throws {
      let database = try open()
      defer { database.workspace.shutdown() }
      try database.workspace.transactAndWait([]) { transaction in
        let dictionary = database.dictionary(place.namespace, of: transaction.dictionary)
        let current = try dictionary.commitNumber(forKey: place.key)
        guard current == place.commitNumber else {
          throw ToolError(
            .conditionNotMet, "key \(quoted(shortened(place.key))) has changed meanwhile: nothing was written")
        }
        try body(dictionary)
      }
    }
  }
#endif
