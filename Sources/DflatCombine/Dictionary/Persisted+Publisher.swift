public import DflatKV

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

extension Persisted {
  /// Publishes the property's value, or its default if there is none, then every committed change by any process.
  ///
  ///     let cancellable = settings.$volume.publisher.sink { volume in print(volume) }
  ///
  /// ``DictionaryValuePublisher`` describes the threads, and the treatment of values without demand.
  public var publisher: Publishers.Map<DictionaryValuePublisher<Value>, Value> { knownDictionary.publisher(key) }
}
