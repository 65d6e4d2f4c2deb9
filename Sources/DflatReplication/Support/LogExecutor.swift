#if Etcd

  import DflatCore

  /// Runs the tasks of logs on threads of the library.
  ///
  /// A program may block every thread of Swift's pool in calls of a workspace. Tasks that these calls wait for would never
  /// run there.
  final class LogExecutor: TaskExecutor {
    static let shared = LogExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      Threads.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

#endif
