public import DflatKV

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

extension WorkspaceDictionary {
  /// Publishes a key's committed value, then every committed change by any process.
  ///
  ///     let cancellable = workspace.dictionary.publisher("volume", of: Double.self)
  ///       .sink { change in print(change) }  // .initial(0.8), then .updated(0.9), .deleted, …
  ///
  /// ``DictionaryValuePublisher`` describes the threads, and the treatment of values without demand. It never fails: a
  /// value of another type is delivered as absent (`.initial(nil)`, `.deleted`) and reported.
  ///
  /// In main-actor code, including `main.swift`, call `receive(on: DispatchQueue.main)` before `sink`, or write
  /// `{ @Sendable change in … }`: any other closure is isolated to the main actor, and Swift stops a program that calls
  /// it elsewhere.
  @_disfavoredOverload
  public func publisher<Element: DictionaryCodable>(
    _ key: String, of type: Element.Type
  ) -> DictionaryValuePublisher<Element> {
    DictionaryValuePublisher { sink in
      observe(key, of: type, onEnd: { sink.end() }) { sink.offer($0) }
    }
  }

  /// Publishes the committed value of a key with a FlatBuffers type, then every committed change.
  public func publisher<Element: DictionaryFlatBuffersCodable>(
    _ key: String, of type: Element.Type
  ) -> DictionaryValuePublisher<Element> {
    DictionaryValuePublisher { sink in
      observe(key, of: type, onEnd: { sink.end() }) { sink.offer($0) }
    }
  }

  /// Publishes the value of a typed key, or its default if there is none, then every committed change.
  ///
  ///     let cancellable = workspace.dictionary.publisher(.volume).sink { volume in print(volume) }
  public func publisher<Value>(
    _ key: DictionaryKey<Value>
  ) -> Publishers.Map<DictionaryValuePublisher<Value>, Value> {
    DictionaryValuePublisher { sink in
      observe(key, onEnd: { sink.end() }) { sink.offer($0) }
    }
    .map { change in
      switch change {
      case .initial(let value): value ?? key.defaultValue
      case .updated(let value): value
      case .deleted, .expired: key.defaultValue
      }
    }
  }
}
