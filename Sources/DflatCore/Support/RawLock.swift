#if DFLATKV_SIMULATION
  // See Simulation.swift.
#elseif DFLATKV_PTHREAD_LOCKS
  import DflatSupport
#else
  package import Synchronization
#endif

#if !DFLATKV_SIMULATION
  /// This package's only lock: `Synchronization.Mutex`, or a pthread mutex in builds for the thread sanitizer, which
  /// doesn't support `Mutex`. It is stored inline, needs no allocation, and guards the properties next to it.
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
      /// Spins before it blocks: these locks are held for some tens of nanoseconds, so spinning is cheaper than making
      /// the kernel wake this thread.
      @inlinable
      package borrowing func lock() {
        for _ in 0..<100 {
          if mutex._unsafeTryLock() { return }
          // Pause, so that the holder's core keeps the lock's cache line.
          for _ in 0..<4 { atomicMemoryFence(ordering: .sequentiallyConsistent) }
        }
        mutex._unsafeLock()
      }

      @inlinable package borrowing func unlock() { mutex._unsafeUnlock() }
    #endif
  }
#endif
