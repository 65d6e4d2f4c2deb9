#include "plans.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "CFaultVFS.h"

enum { MAX_PLANS = 64 };

typedef struct {
  uint64_t id;  // 0 marks a free slot
  faultvfs_plan plan;
  char *pathPart;
  long matches;
  long faults;
  int runningHooks;
} Slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t hookReturned = PTHREAD_COND_INITIALIZER;
static Slot slots[MAX_PLANS];
static uint64_t lastId;

static Slot *find(uint64_t id) {
  for (int i = 0; i < MAX_PLANS; i++) {
    if (id && slots[i].id == id) return &slots[i];
  }
  return NULL;
}

static void removeLocked(uint64_t id) {
  Slot *slot;
  while ((slot = find(id)) && slot->runningHooks > 0) {
    slot->plan.operations = 0;
    pthread_cond_wait(&hookReturned, &lock);
  }
  if (!slot) return;
  free(slot->pathPart);
  memset(slot, 0, sizeof *slot);
}

uint64_t faultvfs_add_plan(const faultvfs_plan *plan) {
  uint64_t id = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_PLANS && !id; i++) {
    if (slots[i].id) continue;
    slots[i] = (Slot){.id = ++lastId, .plan = *plan};
    slots[i].pathPart = plan->pathPart ? strdup(plan->pathPart) : NULL;
    slots[i].plan.pathPart = slots[i].pathPart;
    id = slots[i].id;
  }
  pthread_mutex_unlock(&lock);
  return id;
}

void faultvfs_remove_plan(uint64_t plan) {
  pthread_mutex_lock(&lock);
  removeLocked(plan);
  pthread_mutex_unlock(&lock);
}

void faultvfs_reset(void) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_PLANS; i++) removeLocked(slots[i].id);
  pthread_mutex_unlock(&lock);
}

long faultvfs_match_count(uint64_t plan) {
  pthread_mutex_lock(&lock);
  Slot *slot = find(plan);
  long matches = slot ? slot->matches : 0;
  pthread_mutex_unlock(&lock);
  return matches;
}

long faultvfs_fault_count(uint64_t plan) {
  pthread_mutex_lock(&lock);
  Slot *slot = find(plan);
  long faults = slot ? slot->faults : 0;
  pthread_mutex_unlock(&lock);
  return faults;
}

/// Counts the operation if it matches the plan, and returns nonzero if the plan affects it.
static int affects(Slot *slot, int operation, int file, const char *path) {
  const faultvfs_plan *plan = &slot->plan;
  if (!slot->id || !(plan->operations & (unsigned)operation) || !(plan->files & (unsigned)file)) return 0;
  if (plan->pathPart && (!path || !strstr(path, plan->pathPart))) return 0;
  slot->matches++;
  if (plan->firstMatch <= 0 || slot->matches < plan->firstMatch) return 0;
  if (plan->matchCount >= 0 && slot->matches >= plan->firstMatch + plan->matchCount) return 0;
  slot->faults++;
  return 1;
}

int faultvfs_decide(int operation, int file, const char *path) {
  int code = FAULTVFS_CODE_OK;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_PLANS; i++) {
    Slot *slot = &slots[i];
    if (!affects(slot, operation, file, path)) continue;
    int decided = slot->plan.code;
    if (slot->plan.hook) {
      // Counting the hook keeps the slot, and the caller's context, in place while the lock is released.
      slot->runningHooks++;
      pthread_mutex_unlock(&lock);
      decided = slot->plan.hook(slot->plan.hookContext, operation, file, path);
      pthread_mutex_lock(&lock);
      slot->runningHooks--;
      pthread_cond_broadcast(&hookReturned);
    }
    if (code == FAULTVFS_CODE_OK) code = decided;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int faultvfs_watches_reads(void) {
  int watches = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_PLANS; i++) watches |= slots[i].id && (slots[i].plan.operations & FAULTVFS_READ);
  pthread_mutex_unlock(&lock);
  return watches;
}
