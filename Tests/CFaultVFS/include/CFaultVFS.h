// A SQLite VFS for tests. Named "fault", it forwards every call to the default VFS and lets a test make chosen calls
// fail or wait, and record what reaches the files, to build the image that a crash would leave.
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
  /// The file control with which SQLite ends a commit: the commit is in the log, visible and (if synced) durable. When
  /// it fails, so does COMMIT.
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
  /// An open succeeds, but for reading alone, as it does on a file without write permission.
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

/// What to do with which operations.
typedef struct {
  /// Mask of the operations that count as a match.
  unsigned operations;
  /// Mask of the files that count as a match.
  unsigned files;
  /// The path has to contain these bytes; null for any path. Copied.
  const char *pathPart;
  /// The first match that is affected, from 1; 0 affects none, and only counts.
  long firstMatch;
  /// How many matches are affected from there on; negative for all.
  long matchCount;
  /// What an affected operation does, unless there is a hook.
  int code;
  /// Decides instead of `code`; may be null.
  faultvfs_hook hook;
  /// Passed to the hook.
  void *hookContext;
} faultvfs_plan;

/// Activates a plan; returns its identifier, or 0 when too many are active.
uint64_t faultvfs_add_plan(const faultvfs_plan *plan);
/// Ends a plan and waits for its running hooks to return.
void faultvfs_remove_plan(uint64_t plan);
/// How many operations matched the plan since it was added.
long faultvfs_match_count(uint64_t plan);
/// How many operations the plan affected (made fail, or handed to its hook).
long faultvfs_fault_count(uint64_t plan);
/// Ends all plans.
void faultvfs_reset(void);

// MARK: - Crash images

/// What of the recorded operations is on the disk after the crash.
enum {
  /// Everything that was done: the process died, the machine did not.
  FAULTVFS_IMAGE_ALL = 0,
  /// What was synced, and nothing else: the power failed.
  FAULTVFS_IMAGE_SYNCED = 1,
  /// What was synced, and an arbitrary part (chosen by the seed) of what was not: the power failed.
  FAULTVFS_IMAGE_SUBSET = 2,
  /// The same, with each sector of 512 bytes of a write there or not: the power failed in the middle of writes.
  FAULTVFS_IMAGE_TORN = 3,
};

/// Starts recording what is done to the files directly in a folder (an absolute path without symbolic links). What is
/// there already counts as synced; no connection may be open in the folder yet. Returns 0 when it cannot start.
uint64_t faultvfs_recorder_start(const char *folder);
/// The number of operations recorded so far.
long faultvfs_recorder_count(uint64_t recorder);
/// Writes the files as they would be after a crash right behind the first `count` operations into a folder that
/// exists. Returns 0, or an `errno`.
int faultvfs_recorder_write_image(uint64_t recorder, long count, int mode, uint64_t seed, const char *folder);
/// A line that describes one recorded operation (from 1), for failure messages.
void faultvfs_recorder_describe(uint64_t recorder, long index, char *buffer, int capacity);
/// Stops recording and forgets what was recorded.
void faultvfs_recorder_stop(uint64_t recorder);

// MARK: - Processes

/// `fork(2)`, which Swift does not import. The child has one thread: let it do little, and leave by
/// `testsupport_exit_child`.
int testsupport_fork(void);
/// `_exit(2)`.
void testsupport_exit_child(int status);
/// Waits for a child; returns its exit status, minus the signal number when a signal ended it, or -1000 on failure.
int testsupport_wait(int pid);

/// Mounts an empty file system of so many bytes at a folder, for this process alone. Returns 0, or an `errno`: it takes
/// rights that few processes have. Before the process has other threads.
int testsupport_mount_disk(const char *folder, long bytes);

// MARK: - SQLite's memory

/// Puts an allocator that can fail under SQLite. Before anything of SQLite is used in the process; returns a result code.
int faultvfs_install_allocator(void);
/// Makes SQLite's allocations fail from the `first`-th from now on, `count` of them (negative for all); 0 stops that.
void faultvfs_fail_allocations(long first, long count);
/// How many allocations were made since then, and how many of them failed.
long faultvfs_allocations(void);
long faultvfs_failed_allocations(void);

// MARK: - Memory

/// Whether allocations are counted: not under a sanitizer, and only with the GNU C library.
int testsupport_counts_allocations(void);
/// How often the current thread has called `malloc`, `calloc` and `realloc`.
uint64_t testsupport_allocations(void);

/// The size of this thread's largest allocation since this was last called.
uint64_t testsupport_largest_allocation(void);

/// How many bytes of the process's heap are in use; 0 where nobody can tell.
uint64_t testsupport_heap_in_use(void);

/// How many of these bytes SQLite uses: page caches, above all.
uint64_t testsupport_sqlite_memory_in_use(void);

#ifdef __cplusplus
}
#endif

#endif
