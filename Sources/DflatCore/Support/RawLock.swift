#if DFLATKV_SIMULATION
  // See Simulation.swift.
#elseif DFLATKV_PTHREAD_LOCKS
  import DflatSupport
#else
  public import Synchronization
#endif

#if !DFLATKV_SIMULATION
  /// This package's only lock: `Synchronization.Mutex`, or a pthread mutex in builds for the thread sanitizer, which
  /// doesn't support `Mutex`. It is stored inline, needs no allocation, and guards the properties next to it.
  @usableFromInline
  package struct RawLock: ~Copyable {
    #if DFLATKV_PTHREAD_LOCKS
      private let mutex: UnsafeMutablePointer<pthread_mutex_t>

      @usableFromInline package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
      }

      deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
      }

      @usableFromInline package borrowing func lock() { pthread_mutex_lock(mutex) }
      @usableFromInline package borrowing func unlock() { pthread_mutex_unlock(mutex) }
    #else
      @usableFromInline package let mutex = Mutex(())

      @inlinable package init() {}
      @inlinable @inline(__always)
      package borrowing func lock() { if !mutex._unsafeTryLock() { lockSlowly() } }

      /// Spins before it blocks: these locks are held for some tens of nanoseconds, so spinning is cheaper than making
      /// the kernel wake this thread.
      @usableFromInline @inline(never)
      borrowing func lockSlowly() {
        for _ in 0..<100 {
          // Pause, so that the holder's core keeps the lock's cache line.
          for _ in 0..<4 { atomicMemoryFence(ordering: .sequentiallyConsistent) }
          if mutex._unsafeTryLock() { return }
        }
        mutex._unsafeLock()
      }

      @inlinable @inline(__always) package borrowing func unlock() { mutex._unsafeUnlock() }
    #endif
  }
#endif
