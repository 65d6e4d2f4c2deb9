import DflatCore

/// The reads of observed closures.
extension DictionaryStore {
  /// The record of the observed closure that this thread runs on this workspace, if any.
  var recordedReads: DictionaryReads? { ThreadContext.recorder(of: core).map { reads(in: $0) } }

  /// Returns the record of a run's reads of dictionaries.
  func reads(in recorder: ReadRecorder) -> DictionaryReads {
    recorder.part(orAdding: DictionaryReads(in: namespaces))
  }

  func track(_ reads: ReadRecorder, for observer: ReadObserver) -> Bool {
    trackedReads.replace(with: reads[DictionaryReads.self], for: observer)
  }

  func stopTracking(for observer: ReadObserver) { _ = trackedReads.replace(with: nil, for: observer) }
}
