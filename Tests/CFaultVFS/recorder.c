#include "recorder.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "CFaultVFS.h"

enum { MAX_RECORDERS = 16 };

typedef struct {
  Operation *items;
  long count;
  long capacity;
} OperationList;

typedef struct {
  uint64_t id;  // 0 marks a free slot
  char *folder;
  OperationList base;
  OperationList operations;
} Recorder;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Recorder recorders[MAX_RECORDERS];
static uint64_t lastId;

static Recorder *find(uint64_t id) {
  for (int i = 0; i < MAX_RECORDERS; i++) {
    if (id && recorders[i].id == id) return &recorders[i];
  }
  return NULL;
}

static Recorder *recorderOf(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (!slash) return NULL;
  size_t length = (size_t)(slash - path);
  for (int i = 0; i < MAX_RECORDERS; i++) {
    Recorder *recorder = &recorders[i];
    if (recorder->id && strlen(recorder->folder) == length && !memcmp(recorder->folder, path, length)) return recorder;
  }
  return NULL;
}

static void append(OperationList *list, Operation operation, const char *path, const void *bytes) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? list->capacity * 2 : 64;
    list->items = realloc(list->items, (size_t)list->capacity * sizeof *list->items);
  }
  operation.name = strdup(strrchr(path, '/') + 1);
  if (bytes) {
    operation.bytes = malloc((size_t)operation.count + 1);
    memcpy(operation.bytes, bytes, (size_t)operation.count);
  }
  list->items[list->count++] = operation;
}

static void clear(OperationList *list) {
  for (long i = 0; i < list->count; i++) {
    free(list->items[i].name);
    free(list->items[i].bytes);
  }
  free(list->items);
  *list = (OperationList){0};
}

static void record(const char *path, Operation operation, const void *bytes) {
  pthread_mutex_lock(&lock);
  Recorder *recorder = recorderOf(path);
  if (recorder) append(&recorder->operations, operation, path, bytes);
  pthread_mutex_unlock(&lock);
}

void faultvfs_record_open(const char *path, int syncsFolder) {
  record(path, (Operation){.type = OP_OPEN, .syncsFolder = syncsFolder}, NULL);
}

void faultvfs_record_write(const char *path, const void *bytes, int count, int64_t offset) {
  record(path, (Operation){.type = OP_WRITE, .count = count, .offset = offset}, bytes);
}

void faultvfs_record_truncate(const char *path, int64_t size) {
  record(path, (Operation){.type = OP_TRUNCATE, .offset = size}, NULL);
}

long faultvfs_record_sync_mark(const char *path) {
  pthread_mutex_lock(&lock);
  Recorder *recorder = recorderOf(path);
  long mark = recorder ? recorder->operations.count : 0;
  pthread_mutex_unlock(&lock);
  return mark;
}

void faultvfs_record_sync(const char *path, long mark) {
  record(path, (Operation){.type = OP_SYNC, .mark = mark}, NULL);
}

void faultvfs_record_delete(const char *path, int syncsFolder) {
  record(path, (Operation){.type = OP_DELETE, .syncsFolder = syncsFolder}, NULL);
}

/// Records a file that exists at the start as one write.
static int addBase(OperationList *base, const char *path) {
  struct stat status;
  if (stat(path, &status) || !S_ISREG(status.st_mode)) return 1;
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = malloc((size_t)status.st_size + 1);
  int ok = file && bytes && fread(bytes, 1, (size_t)status.st_size, file) == (size_t)status.st_size;
  if (ok) append(base, (Operation){.type = OP_WRITE, .count = status.st_size}, path, bytes);
  free(bytes);
  if (file) fclose(file);
  return ok;
}

static int readBase(OperationList *base, const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return 0;
  int ok = 1;
  struct dirent *entry;
  while (ok && (entry = readdir(directory))) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    ok = addBase(base, path);
  }
  closedir(directory);
  return ok;
}

uint64_t faultvfs_recorder_start(const char *folder) {
  OperationList base = {0};
  uint64_t id = 0;
  if (readBase(&base, folder)) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_RECORDERS && !id; i++) {
      if (recorders[i].id) continue;
      recorders[i] = (Recorder){.id = ++lastId, .folder = strdup(folder), .base = base};
      id = recorders[i].id;
    }
    pthread_mutex_unlock(&lock);
  }
  if (!id) clear(&base);
  return id;
}

long faultvfs_recorder_count(uint64_t id) {
  pthread_mutex_lock(&lock);
  Recorder *recorder = find(id);
  long count = recorder ? recorder->operations.count : 0;
  pthread_mutex_unlock(&lock);
  return count;
}

int faultvfs_recorder_write_image(uint64_t id, long count, int mode, uint64_t seed, const char *folder) {
  int failure = -1;
  pthread_mutex_lock(&lock);
  Recorder *recorder = find(id);
  if (recorder && count >= 0 && count <= recorder->operations.count) {
    failure = faultvfs_write_image(recorder->base.items, recorder->base.count, recorder->operations.items, count, mode,
                                   seed, folder);
  }
  pthread_mutex_unlock(&lock);
  return failure;
}

void faultvfs_recorder_describe(uint64_t id, long index, char *buffer, int capacity) {
  static const char *const names[] = {"open", "write", "truncate", "sync", "delete"};
  pthread_mutex_lock(&lock);
  Recorder *recorder = find(id);
  snprintf(buffer, (size_t)capacity, "nothing");
  if (recorder && index >= 1 && index <= recorder->operations.count) {
    const Operation *operation = &recorder->operations.items[index - 1];
    snprintf(buffer, (size_t)capacity, "%s %s offset %lld count %lld", names[operation->type], operation->name,
             (long long)operation->offset, (long long)operation->count);
  }
  pthread_mutex_unlock(&lock);
}

void faultvfs_recorder_stop(uint64_t id) {
  pthread_mutex_lock(&lock);
  Recorder *recorder = find(id);
  if (recorder) {
    clear(&recorder->base);
    clear(&recorder->operations);
    free(recorder->folder);
    *recorder = (Recorder){0};
  }
  pthread_mutex_unlock(&lock);
}
