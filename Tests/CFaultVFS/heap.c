#include "CFaultVFS.h"

#include <sqlite3.h>

uint64_t testsupport_sqlite_memory_in_use(void) { return (uint64_t)sqlite3_memory_used(); }

#if defined(__linux__) && defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)

#include <malloc.h>

uint64_t testsupport_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
}

#else

uint64_t testsupport_heap_in_use(void) { return 0; }

#endif
