#if DFLATKV_SIMULATION
  public import SimulatedRuntime
#endif
public import Synchronization

/// A workspace's participants, by their record kinds. Each is created on its first use.
@usableFromInline
package struct ParticipantSlots: ~Copyable, @unchecked Sendable {  // the slots are atomic, and `slots` doesn't change
  /// The number of slots. Record kinds are small numbers.
  @inlinable package static var count: Int { 8 }

  /// Retained. `AtomicLazyReference` isn't inlined: each access to a participant would look up its type metadata.
  @usableFromInline let slots: UnsafeMutablePointer<Atomic<Unmanaged<AnyObject>?>>

  init() {
    slots = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (slots + index).initialize(to: Atomic(nil)) }
  }

  deinit {
    for index in 0..<Self.count { slots[index].load(ordering: .acquiring)?.release() }
    slots.deinitialize(count: Self.count)
    slots.deallocate()
  }

  /// The participant of a kind, if it exists.
  @inlinable
  package subscript(kind: UInt8) -> AnyObject? {
    precondition(kind < Self.count, "A record kind must be less than the number of slots.")
    return slots[Int(kind)].load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Returns the participant of a kind, which is the given one unless there is another already.
  func store(_ participant: AnyObject, ofKind kind: UInt8) -> AnyObject {
    let retained = Unmanaged.passRetained(participant)
    let (isStored, found) = slots[Int(kind)].compareExchange(
      expected: nil, desired: retained, ordering: .acquiringAndReleasing)
    guard !isStored, let found else { return participant }
    retained.release()
    return found.takeUnretainedValue()
  }
}

extension WorkspaceCore {
  /// Returns the workspace's participant of a class, and creates it on first use.
  ///
  /// Inlinable, because every access to a dictionary begins with this call.
  @inlinable
  @inline(__always)
  package func participant<P: Participant>(_ make: (WorkspaceCore) -> P) -> P {
    if let found = participants[P.recordKind] { return unsafeDowncast(found, to: P.self) }
    return addedParticipant(make)
  }

  /// Adds a participant, unless another thread is faster. It takes part in groups and publications before any thread
  /// can find it: otherwise it could lose writes.
  @usableFromInline
  package func addedParticipant<P: Participant>(_ make: (WorkspaceCore) -> P) -> P {
    let made = make(self)
    var participant: AnyObject = made
    if isForked {
      // A forked child must not take the publication lock.
      participant = participants.store(made, ofKind: P.recordKind)
    } else {
      Failpoint.storeBeforeTakingPart.reach(in: self)
      publication.add(made) {
        guard let found = participants[P.recordKind] else { return false }
        participant = found
        return true
      } thenExpose: {
        _ = participants.store(made, ofKind: P.recordKind)
      }
    }
    return unsafeDowncast(participant, to: P.self)
  }
}
