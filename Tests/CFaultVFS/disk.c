#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

#include "CFaultVFS.h"

#ifdef __linux__

#include <sched.h>
#include <sys/mount.h>

int testsupport_mount_disk(const char *folder, long bytes) {
  char options[64];
  snprintf(options, sizeof options, "size=%ld", bytes);
  // In a mount namespace of its own, the mount ends with the process, however the process ends.
  if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) return errno;
  return mount("tmpfs", folder, "tmpfs", 0, options) ? errno : 0;
}

#else

int testsupport_mount_disk(const char *folder, long bytes) { return ENOSYS; }

#endif
