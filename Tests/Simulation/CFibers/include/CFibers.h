// Fibers: stacks that one thread switches between, so that a simulated program has many threads and one schedule.

#ifndef CFIBERS_H
#define CFIBERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct fiber fiber;

/// Makes a fiber for the stack that the caller runs on.
fiber *fiber_main(void);
/// Makes a fiber that runs `body(context)` at the first switch to it. `body` must not return: it ends with a switch to
/// another fiber. Stacks of freed fibers are reused. Returns null if there is no memory.
fiber *fiber_make(void (*body)(void *), void *context);
/// Saves the running fiber in `from` and continues with `to`.
void fiber_switch(fiber *from, fiber *to);
/// Frees a fiber that isn't running.
void fiber_free(fiber *it);
/// Writes the return addresses of a fiber that isn't running, and returns their number. Zero where frames can't be walked.
int fiber_backtrace(const fiber *it, uintptr_t *addresses, int capacity);
/// The same for the running fiber.
int fiber_backtrace_here(uintptr_t *addresses, int capacity);
/// Returns nonzero while a global is initialized.
int fiber_is_initializing(void);
/// Gives programs that this process executes from now on the same addresses in each run, where the system permits it.
void fiber_fix_addresses(void);
// MARK: - Processes
//
// The functions that the parent of forked schedules calls allocate nothing, so each schedule begins with the same memory.

/// Calls `fork` without the handlers of `pthread_atfork`.
int process_fork(void);
/// Waits for a child. Returns its exit status, or minus the signal that ended it.
int process_wait(int pid);
/// Limits the processor time of this process.
void process_limit_time(int seconds);
/// Calls `handler` on the thread that traps; a second trap ends the process.
void process_on_trap(void (*handler)(int signal));
/// Closes all files except the three standard ones.
void process_close_others(void);
/// Reads that many bytes from standard input. Returns 0 at its end.
int process_read(void *bytes, size_t count);
/// Write lines to standard output: a command is done; the process of a schedule was killed.
void process_say_end(void);
void process_say_killed(uint64_t seed, uint64_t schedule, int signal);

/// Returns the name of the function that contains an address, or null if it is unknown.
const char *fiber_symbol(uintptr_t address);

#endif
