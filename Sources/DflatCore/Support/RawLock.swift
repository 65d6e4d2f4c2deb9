#if DFLATKV_SIMULATION
  // See Simulation.swift.
#elseif DFLATKV_PTHREAD_LOCKS
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif
#else
  package import Synchronization
#endif

#if !DFLATKV_SIMULATION
  /// The one lock of this package: `Synchronization.Mutex`, or a pthread mutex when built for the thread sanitizer, which
  /// cannot see the former. It lives where it is declared, costs no allocation, and guards what stands beside it.
  package struct RawLock: ~Copyable {
    #if DFLATKV_PTHREAD_LOCKS
      private let mutex: UnsafeMutablePointer<pthread_mutex_t>

      package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
      }

      deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
      }

      package borrowing func lock() { pthread_mutex_lock(mutex) }
      package borrowing func unlock() { pthread_mutex_unlock(mutex) }
    #else
      @usableFromInline package let mutex = Mutex(())

      @inlinable package init() {}
      /// What is done under these locks takes some tens of nanoseconds: trying again for as long is cheaper than asking the
      /// kernel to wake this thread.
      @inlinable
      package borrowing func lock() {
        for _ in 0..<100 {
          if mutex._unsafeTryLock() { return }
          // A pause, so that the holder's core keeps the line that the lock is on.
          for _ in 0..<4 { atomicMemoryFence(ordering: .sequentiallyConsistent) }
        }
        mutex._unsafeLock()
      }

      @inlinable package borrowing func unlock() { mutex._unsafeUnlock() }
    #endif
  }
#endif
