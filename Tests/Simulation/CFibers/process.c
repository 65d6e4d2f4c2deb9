#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CFibers.h"

// Skips the handlers of pthread_atfork, by which the library tells a forked child from its parent: the parent has no
// workspace open.
int process_fork(void) { return _Fork(); }

int process_wait(int pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void process_limit_time(int seconds) {
  struct rlimit limit = {seconds, seconds};
  setrlimit(RLIMIT_CPU, &limit);
}

void process_on_trap(void (*handler)(int signal)) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

void process_close_others(void) { close_range(3, ~0U, 0); }

int process_read(void *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    ssize_t some = read(0, (char *)bytes + done, count - done);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return 0;
    done += (size_t)some;
  }
  return 1;
}

void process_say_end(void) { dprintf(1, "END\n"); }

void process_say_killed(uint64_t seed, uint64_t schedule, int signal) {
  dprintf(1, "FAIL %lu %lu The process was ended by signal %d.\n", (unsigned long)seed, (unsigned long)schedule, signal);
}
