// The VFS forwards calls to the default VFS. It asks the plans before each operation and notifies the recorder afterwards.

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

#include "CFaultVFS.h"
#include "plans.h"
#include "recorder.h"

_Static_assert(
  FAULTVFS_CODE_IOERR_READ == SQLITE_IOERR_READ && FAULTVFS_CODE_IOERR_SHORT_READ == SQLITE_IOERR_SHORT_READ
    && FAULTVFS_CODE_IOERR_WRITE == SQLITE_IOERR_WRITE && FAULTVFS_CODE_IOERR_FSYNC == SQLITE_IOERR_FSYNC
    && FAULTVFS_CODE_IOERR_TRUNCATE == SQLITE_IOERR_TRUNCATE && FAULTVFS_CODE_IOERR_FSTAT == SQLITE_IOERR_FSTAT
    && FAULTVFS_CODE_IOERR_DELETE == SQLITE_IOERR_DELETE && FAULTVFS_CODE_IOERR_LOCK == SQLITE_IOERR_LOCK
    && FAULTVFS_CODE_IOERR_SHMLOCK == SQLITE_IOERR_SHMLOCK && FAULTVFS_CODE_IOERR_SHMMAP == SQLITE_IOERR_SHMMAP
    && FAULTVFS_CODE_BUSY == SQLITE_BUSY && FAULTVFS_CODE_READONLY == SQLITE_READONLY
    && FAULTVFS_CODE_CORRUPT == SQLITE_CORRUPT && FAULTVFS_CODE_FULL == SQLITE_FULL
    && FAULTVFS_CODE_CANTOPEN == SQLITE_CANTOPEN && FAULTVFS_CODE_IOERR == SQLITE_IOERR,
  "the codes in the header are SQLite's");

const char *const faultvfs_name = "fault";

static sqlite3_vfs *parent;
static sqlite3_vfs fault;
static sqlite3_io_methods methods[4];  // by the version that the parent's file offers

typedef struct {
  sqlite3_file base;
  const char *path;  // owned by SQLite until xClose
  int kind;
  // The parent's file follows.
} FaultFile;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((FaultFile *)file + 1); }

static int decide(sqlite3_file *file, int operation) {
  FaultFile *self = (FaultFile *)file;
  return faultvfs_decide(operation, self->kind, self->path);
}

/// Returns SQLite's result code for a code of this VFS.
static int result(int code) {
  switch (code) {
    case FAULTVFS_CODE_BAD_DATA: return SQLITE_CORRUPT;
    case FAULTVFS_CODE_TORN_FULL: return SQLITE_FULL;
    case FAULTVFS_CODE_DONE_BUT_FAILED: return SQLITE_IOERR;
    default: return code;
  }
}

/// Returns nonzero if the operation is carried out.
static int goesOn(int code) { return code == FAULTVFS_CODE_OK || code == FAULTVFS_CODE_DONE_BUT_FAILED; }

static int outcome(int code, int actual) { return actual == SQLITE_OK ? result(code) : actual; }

// MARK: - File methods

static int faultClose(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int faultRead(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = decide(file, FAULTVFS_READ);
  if (!goesOn(code) && code != FAULTVFS_CODE_BAD_DATA) return result(code);
  int actual = real(file)->pMethods->xRead(real(file), bytes, count, offset);
  if (code != FAULTVFS_CODE_BAD_DATA || actual != SQLITE_OK) return outcome(code, actual);
  for (int i = 0; i < count && i < 64; i++) ((unsigned char *)bytes)[i] ^= 0xFF;
  return SQLITE_OK;
}

static int faultWrite(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int code = decide(file, FAULTVFS_WRITE);
  if (code == FAULTVFS_CODE_TORN_FULL) count /= 2;
  if (!goesOn(code) && code != FAULTVFS_CODE_TORN_FULL) return result(code);
  int actual = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  if (actual == SQLITE_OK) faultvfs_record_write(((FaultFile *)file)->path, bytes, count, offset);
  return outcome(code, actual);
}

static int faultTruncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = decide(file, FAULTVFS_TRUNCATE);
  if (!goesOn(code)) return result(code);
  int actual = real(file)->pMethods->xTruncate(real(file), size);
  if (actual == SQLITE_OK) faultvfs_record_truncate(((FaultFile *)file)->path, size);
  return outcome(code, actual);
}

static int faultSync(sqlite3_file *file, int flags) {
  int code = decide(file, FAULTVFS_SYNC);
  if (!goesOn(code)) return result(code);
  const char *path = ((FaultFile *)file)->path;
  long mark = faultvfs_record_sync_mark(path);
  int actual = real(file)->pMethods->xSync(real(file), flags);
  if (actual == SQLITE_OK) faultvfs_record_sync(path, mark);
  return outcome(code, actual);
}

static int faultFileSize(sqlite3_file *file, sqlite3_int64 *size) {
  int code = decide(file, FAULTVFS_FILE_SIZE);
  if (!goesOn(code)) return result(code);
  return outcome(code, real(file)->pMethods->xFileSize(real(file), size));
}

static int faultLock(sqlite3_file *file, int level) {
  // Doesn't take the lock on failure: a lock that is taken and reported as failed would never be released.
  int code = decide(file, FAULTVFS_LOCK);
  return code == FAULTVFS_CODE_OK ? real(file)->pMethods->xLock(real(file), level) : result(code);
}

static int faultUnlock(sqlite3_file *file, int level) {
  decide(file, FAULTVFS_UNLOCK);
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int faultCheckReservedLock(sqlite3_file *file, int *isReserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), isReserved);
}

static int faultFileControl(sqlite3_file *file, int operation, void *argument) {
  int code = operation == SQLITE_FCNTL_COMMIT_PHASETWO ? decide(file, FAULTVFS_COMMIT_END) : FAULTVFS_CODE_OK;
  if (code != FAULTVFS_CODE_OK) return result(code);
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int faultSectorSize(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int faultDeviceCharacteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int faultShmMap(sqlite3_file *file, int page, int pageSize, int extends, void volatile **memory) {
  int code = decide(file, FAULTVFS_SHM_MAP);
  if (code != FAULTVFS_CODE_OK) {
    *memory = NULL;
    return result(code);
  }
  return real(file)->pMethods->xShmMap(real(file), page, pageSize, extends, memory);
}

static int faultShmLock(sqlite3_file *file, int offset, int count, int flags) {
  int locks = (flags & SQLITE_SHM_LOCK) != 0;
  int code = decide(file, locks ? FAULTVFS_SHM_LOCK : FAULTVFS_SHM_UNLOCK);
  if (locks && code != FAULTVFS_CODE_OK) return result(code);
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void faultShmBarrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int faultShmUnmap(sqlite3_file *file, int deletes) { return real(file)->pMethods->xShmUnmap(real(file), deletes); }

static int faultFetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
  *memory = NULL;
  if (faultvfs_watches_reads()) return SQLITE_OK;
  return real(file)->pMethods->xFetch(real(file), offset, count, memory);
}

static int faultUnfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  decide(file, FAULTVFS_UNFETCH);
  return real(file)->pMethods->xUnfetch(real(file), offset, memory);
}

// MARK: - VFS methods

static int kindOfFlags(int flags) {
  if (flags & SQLITE_OPEN_MAIN_DB) return FAULTVFS_MAIN;
  if (flags & SQLITE_OPEN_WAL) return FAULTVFS_WAL;
  if (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) return FAULTVFS_JOURNAL;
  return FAULTVFS_OTHER;
}

static int kindOfPath(const char *path) {
  size_t length = strlen(path);
  if (length > 4 && !strcmp(path + length - 4, "-wal")) return FAULTVFS_WAL;
  if (length > 8 && !strcmp(path + length - 8, "-journal")) return FAULTVFS_JOURNAL;
  return FAULTVFS_MAIN;
}

static int faultOpen(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *outFlags) {
  FaultFile *self = (FaultFile *)file;
  self->base.pMethods = NULL;
  self->path = path;
  self->kind = kindOfFlags(flags);
  int code = decide(file, FAULTVFS_OPEN);
  if (code == FAULTVFS_CODE_READONLY) {
    flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
  } else if (code != FAULTVFS_CODE_OK) {
    return result(code);
  }
  int actual = parent->xOpen(parent, path, real(file), flags, outFlags);
  if (real(file)->pMethods) {
    int version = real(file)->pMethods->iVersion;
    self->base.pMethods = &methods[version > 3 ? 3 : version];
  }
  if (actual == SQLITE_OK && path) {
    // The default VFS syncs the folder at the first sync of these files if it may have created them.
    int syncsFolder = (flags & SQLITE_OPEN_CREATE) && (self->kind & (FAULTVFS_WAL | FAULTVFS_JOURNAL));
    faultvfs_record_open(path, syncsFolder);
  }
  return actual;
}

static int faultDelete(sqlite3_vfs *vfs, const char *path, int syncsFolder) {
  int code = faultvfs_decide(FAULTVFS_DELETE, kindOfPath(path), path);
  if (!goesOn(code)) return result(code);
  int actual = parent->xDelete(parent, path, syncsFolder);
  if (actual == SQLITE_OK) faultvfs_record_delete(path, syncsFolder);
  return outcome(code, actual);
}

static int faultAccess(sqlite3_vfs *vfs, const char *path, int flags, int *answer) {
  return parent->xAccess(parent, path, flags, answer);
}

static int faultFullPathname(sqlite3_vfs *vfs, const char *path, int count, char *full) {
  return parent->xFullPathname(parent, path, count, full);
}

static void *faultDlOpen(sqlite3_vfs *vfs, const char *path) { return parent->xDlOpen(parent, path); }
static void faultDlError(sqlite3_vfs *vfs, int count, char *text) { parent->xDlError(parent, count, text); }
static void (*faultDlSym(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
  return parent->xDlSym(parent, library, symbol);
}
static void faultDlClose(sqlite3_vfs *vfs, void *library) { parent->xDlClose(parent, library); }
static int faultRandomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return parent->xRandomness(parent, count, bytes);
}
static int faultSleep(sqlite3_vfs *vfs, int microseconds) { return parent->xSleep(parent, microseconds); }
static int faultCurrentTime(sqlite3_vfs *vfs, double *time) { return parent->xCurrentTime(parent, time); }
static int faultGetLastError(sqlite3_vfs *vfs, int count, char *text) {
  return parent->xGetLastError(parent, count, text);
}
static int faultCurrentTimeInt64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return parent->xCurrentTimeInt64(parent, time);
}

// MARK: - Registration

static int registration = SQLITE_ERROR;

static void prepare(void) {
  if (sqlite3_initialize() != SQLITE_OK) return;
  parent = sqlite3_vfs_find(NULL);
  if (!parent || parent->iVersion < 2) return;
  for (int version = 1; version <= 3; version++) {
    methods[version] = (sqlite3_io_methods){
      .iVersion = version,
      .xClose = faultClose,
      .xRead = faultRead,
      .xWrite = faultWrite,
      .xTruncate = faultTruncate,
      .xSync = faultSync,
      .xFileSize = faultFileSize,
      .xLock = faultLock,
      .xUnlock = faultUnlock,
      .xCheckReservedLock = faultCheckReservedLock,
      .xFileControl = faultFileControl,
      .xSectorSize = faultSectorSize,
      .xDeviceCharacteristics = faultDeviceCharacteristics,
      .xShmMap = faultShmMap,
      .xShmLock = faultShmLock,
      .xShmBarrier = faultShmBarrier,
      .xShmUnmap = faultShmUnmap,
      .xFetch = faultFetch,
      .xUnfetch = faultUnfetch,
    };
  }
  fault = (sqlite3_vfs){
    .iVersion = 2,
    .szOsFile = (int)sizeof(FaultFile) + parent->szOsFile,
    .mxPathname = parent->mxPathname,
    .zName = faultvfs_name,
    .xOpen = faultOpen,
    .xDelete = faultDelete,
    .xAccess = faultAccess,
    .xFullPathname = faultFullPathname,
    .xDlOpen = faultDlOpen,
    .xDlError = faultDlError,
    .xDlSym = faultDlSym,
    .xDlClose = faultDlClose,
    .xRandomness = faultRandomness,
    .xSleep = faultSleep,
    .xCurrentTime = faultCurrentTime,
    .xGetLastError = faultGetLastError,
    .xCurrentTimeInt64 = faultCurrentTimeInt64,
  };
  registration = sqlite3_vfs_register(&fault, 0);
}

int faultvfs_register(int makeDefault) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
  if (registration == SQLITE_OK && makeDefault) return sqlite3_vfs_register(&fault, 1);
  return registration;
}
