// Fibers: stacks that one thread switches between, so that a simulated program has many threads and one schedule.

#ifndef CFIBERS_H
#define CFIBERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct fiber fiber;

/// A fiber for the stack that the caller runs on.
fiber *fiber_main(void);
/// A fiber that runs `body(context)` when it is first switched to. `body` must not return; it switches away for the last
/// time. Stacks of freed fibers are reused. Null when there is no memory.
fiber *fiber_make(void (*body)(void *), void *context);
/// Saves the running fiber in `from` and goes on with `to`.
void fiber_switch(fiber *from, fiber *to);
/// Frees a fiber that does not run.
void fiber_free(fiber *it);
/// Writes the return addresses of a fiber that does not run; returns how many. Zero where frames can't be walked.
int fiber_backtrace(const fiber *it, uintptr_t *addresses, int capacity);
/// The same for the fiber that runs.
int fiber_backtrace_here(uintptr_t *addresses, int capacity);
/// Programs that this process executes from now on have the same addresses in each run, where the system permits it.
void fiber_fix_addresses(void);
/// The name of the function that an address is in; null when it is not known.
const char *fiber_symbol(uintptr_t address);

#endif
