import DflatCore

/// The queries of observed closures.
extension EntityStore {
  func track(_ reads: ReadRecorder, for observer: ReadObserver) -> Bool {
    observers.track(reads[QueryReads.self]?.queries ?? [:], for: observer)
  }

  func stopTracking(for observer: ReadObserver) { _ = observers.track([:], for: observer) }
}
