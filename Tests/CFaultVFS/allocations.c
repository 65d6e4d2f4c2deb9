#include <stddef.h>

#include "CFaultVFS.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

// An executable's own malloc replaces the one of the C library, whose internal functions do the work.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static __thread uint64_t allocations;
static __thread uint64_t largest;

static void note(size_t size) {
  allocations += 1;
  if (size > largest) largest = size;
}

void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note(size);
  return __libc_realloc(memory, size);
}

int testsupport_counts_allocations(void) { return 1; }
uint64_t testsupport_allocations(void) { return allocations; }

uint64_t testsupport_largest_allocation(void) {
  uint64_t found = largest;
  largest = 0;
  return found;
}

#else

int testsupport_counts_allocations(void) { return 0; }
uint64_t testsupport_allocations(void) { return 0; }
uint64_t testsupport_largest_allocation(void) { return 0; }

#endif
