#ifndef CSQLITE_BASELINE_SHIM_H
#define CSQLITE_BASELINE_SHIM_H

#include <sqlite3.h>
#include <stdlib.h>  // Defines __GLIBC__, if that is the library.

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__GLIBC__)
#include <malloc.h>
#endif

/// Returns the number of bytes that malloc has allocated and not freed, over all arenas; -1 where the C library can't
/// tell.
static inline long long baseline_heap_bytes_in_use(void) {
#if defined(__APPLE__)
  malloc_statistics_t statistics;
  malloc_zone_statistics(NULL, &statistics);
  return (long long)statistics.size_in_use;
#elif defined(__GLIBC__)
  struct mallinfo2 information = mallinfo2();
  return (long long)(information.uordblks + information.hblkhd);
#else
  return -1;
#endif
}

#endif
