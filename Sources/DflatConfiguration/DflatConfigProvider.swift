#if Configuration
  public import Configuration
  public import DflatKV

  /// A provider for swift-configuration that reads a dictionary.
  ///
  ///     let workspace = try SQLiteWorkspace.open(filePath: "settings.db")
  ///     let config = ConfigReader(providers: [
  ///       EnvironmentVariablesProvider(), DflatConfigProvider(workspace, namespace: "config"),
  ///     ])
  ///     let port = config.int(forKey: "http.port", default: 8080)
  ///     try await config.watchInt(forKey: "http.port", default: 8080) { ports in
  ///       for await port in ports { print("the port is", port) }
  ///     }
  ///
  /// A configuration key is the key of its components, joined by dots: `http.port`. Its context isn't used. Values are
  /// those that programs and `kvtool` store in the namespace:
  ///
  /// | asked for | stored |
  /// |---|---|
  /// | string | `String` |
  /// | int, double | a number that the type represents exactly |
  /// | bool | `Bool` |
  /// | bytes | `Data` |
  /// | arrays of these | an array (`[String]`, `[Int]`, `[Double]`, `[Bool]`, `[Data]`) |
  ///
  /// A value of another type is an error: ``/DflatCore/WorkspaceError`` with code `.typeMismatch`.
  ///
  /// Any thread may use a provider. Reads block the calling thread until a value is loaded, unless it is in the cache.
  /// A snapshot holds all values of the namespace, as of one commit with the queued plain writes. Watched values and
  /// snapshots are those of commits, by any process; of several that aren't consumed in time, the newest is kept. Their
  /// sequences end when the workspace shuts down; those that begin later are empty.
  public struct DflatConfigProvider: Sendable {
    private let workspace: SQLiteWorkspace
    private let namespace: String
    private let secrets: SecretsSpecifier<String, ConfigContent>

    /// The provider's name in access reports.
    public var providerName: String { "DflatConfigProvider[\(namespace)]" }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - workspace: The workspace that has the dictionary.
    ///   - namespace: The namespace of the keys; the root by default.
    ///   - secrets: Tells which values are redacted in logs and reports, by their keys and values.
    public init(
      _ workspace: SQLiteWorkspace, namespace: String = "", secrets: SecretsSpecifier<String, ConfigContent> = .none
    ) {
      self.workspace = workspace
      self.namespace = namespace
      self.secrets = secrets
    }

    private var dictionary: WorkspaceDictionary { workspace.dictionary.namespace(namespace) }

    /// The values of one state.
    private struct Snapshot: ConfigSnapshot {
      let providerName: String
      let values: Result<ConfigValues, any Error>

      func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try values.get().result(for: key, type)
      }
    }

    private func snapshot(of entries: Result<[DictionaryEntry], any Error>) -> Snapshot {
      Snapshot(providerName: providerName, values: entries.map { ConfigValues($0, secrets: secrets) })
    }
  }

  extension DflatConfigProvider: ConfigProvider {
    /// Returns the value of a key. Blocks the calling thread until the value is loaded, unless it is in the cache.
    ///
    /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch` for a value of another type, or another code
    ///   that ``/DflatKV/WorkspaceDictionary`` lists.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      let name = ConfigValues.name(of: key)
      return try ConfigValues.result(name, dictionary.storedValue(forKey: name), type, secrets)
    }

    /// Returns the value of a key as ``value(forKey:type:)`` does, after the queued plain writes were committed. The
    /// failure of a single one remains for ``/DflatKV/WorkspaceDictionary/synchronize()``.
    ///
    /// - Throws: The errors of ``value(forKey:type:)``, and that of a failed commit.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
      try await dictionary.waitForPlainWrites()
      return try value(forKey: key, type: type)
    }

    /// Passes the committed values of a key to a closure: the one now, and later ones. A value of another type, or that
    /// can't be read, is passed on as its error.
    ///
    /// - Throws: The errors of the closure.
    public func watchValue<Return: ~Copyable>(
      forKey key: AbsoluteConfigKey, type: ConfigType,
      updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws ->
        Return
    ) async throws -> Return {
      let name = ConfigValues.name(of: key)
      let (stream, continuation) = AsyncStream<Result<LookupResult, any Error>>.makeStream(
        bufferingPolicy: .bufferingNewest(1))
      let subscription = dictionary.observe(name, onEnd: { continuation.finish() }) { [secrets, dictionary] change in
        continuation.yield(
          Result {
            // Observers receive a value that can't be read as an absent one. This throws its error.
            if change.value == nil { _ = try dictionary.commitNumber(forKey: name) }
            return try ConfigValues.result(name, change.value, type, secrets)
          })
      }
      defer { subscription.cancel() }
      return try await updatesHandler(ConfigUpdatesAsyncSequence(stream))
    }

    /// Returns all values of the namespace, of one state. Blocks the calling thread until they are read. If they can't be
    /// read, looking up a value throws the error.
    public func snapshot() -> any ConfigSnapshot {
      snapshot(of: Result { try dictionary.entries() })
    }

    /// Passes snapshots to a closure: the one now, and one after each commit that changes a value.
    ///
    /// If the values can't be read, looking up one of them in the snapshot throws the error, and the sequence goes on:
    /// if a value can't be decoded, with the next commit that changes a value; after any other error, with another
    /// attempt a second later.
    ///
    /// - Throws: The errors of the closure.
    public func watchSnapshot<Return: ~Copyable>(
      updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
      let (stream, continuation) = AsyncStream<any ConfigSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let observation = workspace.observe { [namespace] reader in
        try ObservedEntries(of: reader.dictionary.namespace(namespace))
      }
      // Subscribe before the closure begins, so that its first snapshot is the one now.
      let first = observation.values()
      let watching = Task {
        var values = first
        while !Task.isCancelled {
          do {
            for try await entries in values { continuation.yield(snapshot(of: entries.result)) }
            break
          } catch {
            // The error has ended the observation.
            continuation.yield(snapshot(of: .failure(error)))
            try? await Task.sleep(for: Self.pauseAfterError)
            values = observation.values()
          }
        }
        continuation.finish()
      }
      defer { watching.cancel() }
      return try await updatesHandler(ConfigUpdatesAsyncSequence(stream))
    }

    /// The time after which values that couldn't be read are read again.
    private static let pauseAfterError = Duration.seconds(1)
  }

  /// The entries of a namespace, or the error of one that can't be decoded: a value like any other, because the next
  /// commit may replace the entry.
  private struct ObservedEntries: Equatable, Sendable {
    let result: Result<[DictionaryEntry], any Error>

    init(of dictionary: WorkspaceDictionary) throws {
      do {
        result = .success(try dictionary.entries())
      } catch let error as WorkspaceError where error.code == .undecodable {
        result = .failure(error)
      }
    }

    /// Returns false for two errors, which may concern two entries.
    static func == (a: Self, b: Self) -> Bool {
      guard case .success(let a) = a.result, case .success(let b) = b.result else { return false }
      return a == b
    }
  }

  extension DflatConfigProvider: CustomStringConvertible {
    /// The provider's name.
    public var description: String { providerName }
  }
#endif
