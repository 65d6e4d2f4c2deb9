// SQLite's allocator, with failures on demand.

#include <sqlite3.h>
#include <stdatomic.h>

#include "CFaultVFS.h"

static sqlite3_mem_methods original;
static atomic_long made, failed, firstFailure, failureCount;

static int fails(void) {
  long first = atomic_load(&firstFailure);
  long number = atomic_fetch_add(&made, 1) + 1;
  if (first <= 0 || number < first) return 0;
  long count = atomic_load(&failureCount);
  if (count >= 0 && number >= first + count) return 0;
  atomic_fetch_add(&failed, 1);
  return 1;
}

static void *allocate(int size) { return fails() ? 0 : original.xMalloc(size); }
static void *reallocate(void *memory, int size) { return fails() ? 0 : original.xRealloc(memory, size); }

int faultvfs_install_allocator(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &original);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods methods = original;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  // Without lookaside memory, small allocations come from here too.
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void faultvfs_fail_allocations(long first, long count) {
  atomic_store(&firstFailure, 0);
  atomic_store(&made, 0);
  atomic_store(&failed, 0);
  atomic_store(&failureCount, count);
  atomic_store(&firstFailure, first);
}

long faultvfs_allocations(void) { return atomic_load(&made); }
long faultvfs_failed_allocations(void) { return atomic_load(&failed); }
