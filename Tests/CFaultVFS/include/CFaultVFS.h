// A SQLite VFS for tests. Named "fault", it forwards every call to the default VFS and lets a test make chosen calls
// fail or wait. It also records what reaches the files, to build the image that a crash would leave.
//
// Several plans and recorders can be active at once, each confined to the paths that it names, so tests that run in
// parallel on different folders do not disturb one another. Every function may be called from any thread.

#ifndef CFAULTVFS_H
#define CFAULTVFS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The name under which the VFS is registered.
extern const char *const faultvfs_name;

/// Registers the VFS, once per process; returns a SQLite result code.
int faultvfs_register(int makeDefault);

// MARK: - Plans

/// Kinds of operations, to be combined into a mask.
enum {
  FAULTVFS_READ = 1 << 0,
  FAULTVFS_WRITE = 1 << 1,
  FAULTVFS_SYNC = 1 << 2,
  FAULTVFS_TRUNCATE = 1 << 3,
  FAULTVFS_OPEN = 1 << 4,
  FAULTVFS_DELETE = 1 << 5,
  FAULTVFS_LOCK = 1 << 6,
  FAULTVFS_SHM_LOCK = 1 << 7,
  FAULTVFS_SHM_MAP = 1 << 8,
  FAULTVFS_FILE_SIZE = 1 << 9,
  /// Cannot fail, but a hook can wait in it.
  FAULTVFS_UNLOCK = 1 << 10,
  /// Cannot fail, but a hook can wait in it.
  FAULTVFS_SHM_UNLOCK = 1 << 11,
  /// Cannot fail, but a hook can wait in it.
  FAULTVFS_UNFETCH = 1 << 12,
  /// The file control with which SQLite ends a commit: the commit is in the log, visible and (if synced) durable. If it
  /// fails, so does COMMIT.
  FAULTVFS_COMMIT_END = 1 << 13,
  FAULTVFS_ANY_OPERATION = (1 << 14) - 1,
};

/// Kinds of files, to be combined into a mask. The shared-memory calls count as calls on the main database.
enum {
  FAULTVFS_MAIN = 1 << 0,
  FAULTVFS_WAL = 1 << 1,
  FAULTVFS_JOURNAL = 1 << 2,
  FAULTVFS_OTHER = 1 << 3,
  FAULTVFS_ANY_FILE = (1 << 4) - 1,
};

/// Result codes of SQLite, so that tests need not import it, and codes of this VFS.
enum {
  FAULTVFS_CODE_OK = 0,
  FAULTVFS_CODE_BUSY = 5,
  /// An open succeeds, but only for reading, as on a file without write permission.
  FAULTVFS_CODE_READONLY = 8,
  FAULTVFS_CODE_IOERR = 10,
  FAULTVFS_CODE_CORRUPT = 11,
  FAULTVFS_CODE_FULL = 13,
  FAULTVFS_CODE_CANTOPEN = 14,
  FAULTVFS_CODE_IOERR_READ = 10 | 1 << 8,
  FAULTVFS_CODE_IOERR_SHORT_READ = 10 | 2 << 8,
  FAULTVFS_CODE_IOERR_WRITE = 10 | 3 << 8,
  FAULTVFS_CODE_IOERR_FSYNC = 10 | 4 << 8,
  FAULTVFS_CODE_IOERR_TRUNCATE = 10 | 6 << 8,
  FAULTVFS_CODE_IOERR_FSTAT = 10 | 7 << 8,
  FAULTVFS_CODE_IOERR_DELETE = 10 | 10 << 8,
  FAULTVFS_CODE_IOERR_LOCK = 10 | 15 << 8,
  FAULTVFS_CODE_IOERR_SHMLOCK = 10 | 20 << 8,
  FAULTVFS_CODE_IOERR_SHMMAP = 10 | 21 << 8,
  /// A read succeeds, but its first 64 bytes are inverted. Any other operation fails with CORRUPT.
  FAULTVFS_CODE_BAD_DATA = -1,
  /// A write writes the first half of its bytes, then fails with FULL. Any other operation fails with FULL.
  FAULTVFS_CODE_TORN_FULL = -2,
  /// The operation is carried out, then reported as failed with the generic IOERR.
  FAULTVFS_CODE_DONE_BUT_FAILED = -3,
};

/// Called before an operation, on the thread that makes it, with no lock held; returns one of the codes above.
/// May block. Must not remove its own plan.
typedef int (*faultvfs_hook)(void *context, int operation, int file, const char *path);

/// The operations to affect, and the effect.
typedef struct {
  /// Mask of the operations that count as a match.
  unsigned operations;
  /// Mask of the files that count as a match.
  unsigned files;
  /// The path has to contain these bytes; null for any path. Copied.
  const char *pathPart;
  /// The first match that is affected, counted from 1; 0 affects none, and only counts.
  long firstMatch;
  /// The number of matches that are affected from there on; negative for all.
  long matchCount;
  /// The effect on an operation, unless there is a hook.
  int code;
  /// Decides instead of `code`; may be null.
  faultvfs_hook hook;
  /// Passed to the hook.
  void *hookContext;
} faultvfs_plan;

/// Activates a plan. Returns its identifier, or 0 if too many are active.
uint64_t faultvfs_add_plan(const faultvfs_plan *plan);
/// Ends a plan and waits for its running hooks to return.
void faultvfs_remove_plan(uint64_t plan);
/// Returns the number of operations that matched the plan since it was added.
long faultvfs_match_count(uint64_t plan);
/// Returns the number of operations that the plan affected (made fail, or passed to its hook).
long faultvfs_fault_count(uint64_t plan);
/// Ends all plans.
void faultvfs_reset(void);

// MARK: - Crash images

/// The part of the recorded operations that is on the disk after the crash.
enum {
  /// All operations: the process died, the machine did not.
  FAULTVFS_IMAGE_ALL = 0,
  /// Only synced operations: the power failed.
  FAULTVFS_IMAGE_SYNCED = 1,
  /// Synced operations, and an arbitrary part of the others, chosen by the seed: the power failed.
  FAULTVFS_IMAGE_SUBSET = 2,
  /// The same for each 512-byte sector of a write: the power failed in the middle of writes.
  FAULTVFS_IMAGE_TORN = 3,
};

/// Starts recording the operations on the files directly in a folder (an absolute path without symbolic links). Existing
/// content counts as synced. No connection may be open in the folder yet. Returns 0 if recording can't start.
uint64_t faultvfs_recorder_start(const char *folder);
/// Returns the number of operations recorded so far.
long faultvfs_recorder_count(uint64_t recorder);
/// Writes the files that a crash right after the first `count` operations would leave into an existing folder. Returns
/// 0, or an `errno`.
int faultvfs_recorder_write_image(uint64_t recorder, long count, int mode, uint64_t seed, const char *folder);
/// Writes a line that describes one recorded operation (counted from 1), for failure messages.
void faultvfs_recorder_describe(uint64_t recorder, long index, char *buffer, int capacity);
/// Stops recording and discards the recorded operations.
void faultvfs_recorder_stop(uint64_t recorder);

// MARK: - Processes

/// Calls `fork(2)`, which Swift does not import. The child has one thread. It should do little, and exit by
/// `testsupport_exit_child`.
int testsupport_fork(void);
/// `_exit(2)`.
void testsupport_exit_child(int status);
/// Waits for a child; returns its exit status, minus the signal number when a signal ended it, or -1000 on failure.
int testsupport_wait(int pid);

/// Mounts an empty file system of that many bytes at a folder, for this process only. Call it before the process has
/// other threads. Returns 0, or an `errno`: mounting takes rights that few processes have.
int testsupport_mount_disk(const char *folder, long bytes);

// MARK: - SQLite's memory

/// Installs an allocator in SQLite that can fail. Call it before the process uses SQLite. Returns a result code.
int faultvfs_install_allocator(void);
/// Makes SQLite's allocations fail from the `first`-th from now on, `count` of them (negative for all); 0 stops that.
void faultvfs_fail_allocations(long first, long count);
/// Return the number of allocations since then, and the number of those that failed.
long faultvfs_allocations(void);
long faultvfs_failed_allocations(void);

// MARK: - Memory

/// Returns nonzero if allocations are counted: only with the GNU C library, and not under a sanitizer.
int testsupport_counts_allocations(void);
/// Returns the number of calls of `malloc`, `calloc` and `realloc` by the current thread.
uint64_t testsupport_allocations(void);

/// Returns the size of this thread's largest allocation since the last call of this function.
uint64_t testsupport_largest_allocation(void);

/// Returns the number of bytes in use in the process's heap; 0 if that is unknown.
uint64_t testsupport_heap_in_use(void);

/// Returns the number of these bytes that SQLite uses, mainly for page caches.
uint64_t testsupport_sqlite_memory_in_use(void);

#ifdef __cplusplus
}
#endif

#endif
