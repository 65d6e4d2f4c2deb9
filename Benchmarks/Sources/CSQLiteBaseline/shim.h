#ifndef CSQLITE_BASELINE_SHIM_H
#define CSQLITE_BASELINE_SHIM_H

#include <sqlite3.h>
#include <stddef.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

/// Returns the number of bytes that malloc has allocated and not freed, over all arenas; 0 where the C library can't
/// tell.
static inline size_t baseline_heap_bytes_in_use(void) {
#if defined(__APPLE__)
  malloc_statistics_t statistics;
  malloc_zone_statistics(NULL, &statistics);
  return statistics.size_in_use;
#elif defined(__GLIBC__)
  struct mallinfo2 information = mallinfo2();
  return information.uordblks + information.hblkhd;
#else
  return 0;
#endif
}

#endif
