#define _GNU_SOURCE
#include "CFibers.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <ucontext.h>

enum { STACK_SIZE = 512 * 1024, GUARD_SIZE = 4096 };

struct fiber {
  ucontext_t context;
  void (*body)(void *);
  void *argument;
  char *stack;  // null for the stack of a real thread
  fiber *nextFree;
};

static fiber *freeFibers;
static fiber *starting;

static void start(void) {
  fiber *self = starting;
  self->body(self->argument);
  abort();
}

fiber *fiber_main(void) { return calloc(1, sizeof(fiber)); }

fiber *fiber_make(void (*body)(void *), void *argument) {
  fiber *it = freeFibers;
  if (it) {
    freeFibers = it->nextFree;
  } else {
    it = calloc(1, sizeof(fiber));
    if (!it) return NULL;
    it->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (it->stack == MAP_FAILED) {
      free(it);
      return NULL;
    }
    // An overflow traps instead of overwriting another fiber's stack.
    mprotect(it->stack, GUARD_SIZE, PROT_NONE);
  }
  it->body = body;
  it->argument = argument;
  getcontext(&it->context);
  it->context.uc_stack.ss_sp = it->stack;
  it->context.uc_stack.ss_size = STACK_SIZE;
  it->context.uc_link = NULL;
  makecontext(&it->context, start, 0);
  return it;
}

void fiber_switch(fiber *from, fiber *to) {
  starting = to;
  swapcontext(&from->context, &to->context);
}

void fiber_free(fiber *it) {
  if (!it->stack) return free(it);
  it->nextFree = freeFibers;
  freeFibers = it;
}

// Follows the chain of frame pointers within the stack.
static int walk(uintptr_t frame, uintptr_t low, uintptr_t high, uintptr_t *addresses, int capacity) {
  int count = 0;
  while (count < capacity && frame >= low && frame + 2 * sizeof(uintptr_t) <= high && frame % sizeof(uintptr_t) == 0) {
    uintptr_t *words = (uintptr_t *)frame;
    if (!words[1]) break;
    addresses[count++] = words[1];
    if (words[0] <= frame) break;
    frame = words[0];
  }
  return count;
}

int fiber_backtrace(const fiber *it, uintptr_t *addresses, int capacity) {
  if (!it->stack) return 0;
  uintptr_t low = (uintptr_t)it->stack + GUARD_SIZE, high = (uintptr_t)it->stack + STACK_SIZE;
#if defined(__x86_64__)
  return walk((uintptr_t)it->context.uc_mcontext.gregs[REG_RBP], low, high, addresses, capacity);
#elif defined(__aarch64__)
  return walk((uintptr_t)it->context.uc_mcontext.regs[29], low, high, addresses, capacity);
#else
  (void)low, (void)high;
  return 0;
#endif
}

int fiber_backtrace_here(uintptr_t *addresses, int capacity) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  return walk(frame, frame, frame + STACK_SIZE, addresses, capacity > 24 ? 24 : capacity);
}

const char *fiber_symbol(uintptr_t address) {
  Dl_info info;
  return dladdr((void *)(address - 1), &info) ? info.dli_sname : NULL;
}

// Tracks the initialization of globals at their first use. A switch during that could lead to a thread that waits for the
// initialization, on the one real thread. The linker finds this definition before the runtime's own.
static int initializing;

int fiber_is_initializing(void) { return initializing; }

void swift_once(void *predicate, void (*body)(void *), void *context) {
  static void (*once)(void *, void (*)(void *), void *);
  if (!once) once = (void (*)(void *, void (*)(void *), void *))dlsym(RTLD_NEXT, "swift_once");
  initializing++;
  once(predicate, body, context);
  initializing--;
}

void fiber_fix_addresses(void) { personality(ADDR_NO_RANDOMIZE); }
