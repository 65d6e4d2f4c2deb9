import DflatCore

/// Runs `action` whenever this process reaches the failpoint of that name. Release builds have none.
func arm(_ failpoint: String, _ action: @escaping @Sendable () -> Void) {
  #if DEBUG
    Failpoint(rawValue: failpoint)?.arm { action() }
  #endif
}
