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
/// Not 0 while a global is initialized.
int fiber_is_initializing(void);
/// Programs that this process executes from now on have the same addresses in each run, where the system permits it.
void fiber_fix_addresses(void);
// MARK: - Processes. What the parent of forked schedules calls allocates nothing: each begins with the same memory.

/// `fork`, without the handlers of `pthread_atfork`.
int process_fork(void);
/// Waits for a child; its exit status, or minus the signal that ended it.
int process_wait(int pid);
/// The processor time that this process may take.
void process_limit_time(int seconds);
/// Calls `handler` on the thread that traps; a second trap ends the process.
void process_on_trap(void (*handler)(int signal));
/// Closes all files but the three standard ones.
void process_close_others(void);
/// Reads so many bytes from standard input; 0 at its end.
int process_read(void *bytes, size_t count);
/// Lines on standard output: a command is done; a schedule's process was killed.
void process_say_end(void);
void process_say_killed(uint64_t seed, uint64_t schedule, int signal);

/// The name of the function that an address is in; null when it is not known.
const char *fiber_symbol(uintptr_t address);

#endif
