// Replays recorded operations on a model of a disk: names and files are separate, as on a Unix file system. A file's
// bytes are safe once the file is synced; a name is safe once its file or its folder is.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CFaultVFS.h"
#include "recorder.h"

typedef struct {
  unsigned char *bytes;
  int64_t size;
  const Operation **pending;  // writes and truncates since the last sync
  long *pendingIndex;         // the number of each, from 1
  long pendingCount;
  int syncsFolder;            // its next sync also syncs the folder
} File;

typedef struct {
  char *name;
  long now;   // the file that the name leads to, or -1
  long safe;  // the same after a power failure
} Name;

typedef struct {
  File *files;
  long fileCount;
  Name *names;
  long nameCount;
} Disk;

static void apply(File *file, const Operation *operation) {
  int64_t end = operation->type == OP_WRITE ? operation->offset + operation->count : operation->offset;
  if (end > file->size) {
    file->bytes = realloc(file->bytes, (size_t)end + 1);
    memset(file->bytes + file->size, 0, (size_t)(end - file->size));
    file->size = end;
  }
  if (operation->type == OP_TRUNCATE) {
    file->size = end;
  } else if (operation->count > 0) {
    memcpy(file->bytes + operation->offset, operation->bytes, (size_t)operation->count);
  }
}

static Name *nameOf(Disk *disk, const char *name) {
  for (long i = 0; i < disk->nameCount; i++) {
    if (!strcmp(disk->names[i].name, name)) return &disk->names[i];
  }
  disk->names = realloc(disk->names, (size_t)(disk->nameCount + 1) * sizeof *disk->names);
  disk->names[disk->nameCount] = (Name){.name = strdup(name), .now = -1, .safe = -1};
  return &disk->names[disk->nameCount++];
}

static File *fileOf(Disk *disk, Name *name, int syncsFolder) {
  if (name->now < 0) {
    disk->files = realloc(disk->files, (size_t)(disk->fileCount + 1) * sizeof *disk->files);
    disk->files[disk->fileCount] = (File){.syncsFolder = syncsFolder};
    name->now = disk->fileCount++;
  }
  return &disk->files[name->now];
}

static void syncFolder(Disk *disk) {
  for (long i = 0; i < disk->nameCount; i++) disk->names[i].safe = disk->names[i].now;
}

static void addPending(File *file, const Operation *operation, long index) {
  size_t count = (size_t)file->pendingCount + 1;
  file->pending = realloc(file->pending, count * sizeof *file->pending);
  file->pendingIndex = realloc(file->pendingIndex, count * sizeof *file->pendingIndex);
  file->pending[file->pendingCount] = operation;
  file->pendingIndex[file->pendingCount++] = index;
}

static void syncFile(File *file, long mark) {
  long kept = 0;
  for (long i = 0; i < file->pendingCount; i++) {
    if (file->pendingIndex[i] <= mark) {
      apply(file, file->pending[i]);
    } else {
      file->pending[kept] = file->pending[i];
      file->pendingIndex[kept++] = file->pendingIndex[i];
    }
  }
  file->pendingCount = kept;
}

static void replay(Disk *disk, const Operation *operation, long index) {
  Name *name = nameOf(disk, operation->name);
  if (operation->type == OP_DELETE) {
    name->now = -1;
    if (operation->syncsFolder) syncFolder(disk);
    return;
  }
  File *file = fileOf(disk, name, operation->type == OP_OPEN && operation->syncsFolder);
  switch (operation->type) {
    case OP_WRITE:
    case OP_TRUNCATE:
      addPending(file, operation, index);
      break;
    case OP_SYNC:
      syncFile(file, operation->mark);
      name->safe = name->now;
      if (file->syncsFolder) syncFolder(disk);
      file->syncsFolder = 0;
      break;
    default:
      break;
  }
}

static int coin(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (int)((z ^ (z >> 31)) & 1);
}

/// Applies a torn write: the seed decides for each sector whether it reaches the disk. Truncates are not torn.
static void applyTorn(File *file, const Operation *operation, uint64_t *seed) {
  enum { SECTOR = 512 };
  if (operation->type != OP_WRITE) {
    if (coin(seed)) apply(file, operation);
    return;
  }
  int64_t end = operation->offset + operation->count;
  for (int64_t start = operation->offset; start < end;) {
    int64_t next = (start / SECTOR + 1) * SECTOR;
    if (next > end) next = end;
    Operation part = *operation;
    part.bytes = operation->bytes + (start - operation->offset);
    part.offset = start;
    part.count = next - start;
    if (coin(seed)) apply(file, &part);
    start = next;
  }
}

static int writeFile(const File *file, const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *stream = fopen(path, "wb");
  if (!stream) return errno;
  size_t written = file->size ? fwrite(file->bytes, 1, (size_t)file->size, stream) : 0;
  if (fclose(stream) || written != (size_t)file->size) return EIO;
  return 0;
}

static int writeDisk(Disk *disk, int mode, uint64_t seed, const char *folder) {
  int failure = 0;
  for (long i = 0; i < disk->nameCount && !failure; i++) {
    Name *name = &disk->names[i];
    int takesNow = mode == FAULTVFS_IMAGE_ALL || (mode >= FAULTVFS_IMAGE_SUBSET && coin(&seed));
    long index = takesNow ? name->now : name->safe;
    if (index < 0) continue;
    File *file = &disk->files[index];
    for (long k = 0; k < file->pendingCount; k++) {
      if (mode == FAULTVFS_IMAGE_TORN) applyTorn(file, file->pending[k], &seed);
      if (mode == FAULTVFS_IMAGE_ALL || (mode == FAULTVFS_IMAGE_SUBSET && coin(&seed))) apply(file, file->pending[k]);
    }
    failure = writeFile(file, folder, name->name);
  }
  return failure;
}

int faultvfs_write_image(const Operation *base, long baseCount, const Operation *operations, long count, int mode,
                         uint64_t seed, const char *folder) {
  Disk disk = {0};
  for (long i = 0; i < baseCount; i++) {
    replay(&disk, &base[i], 0);
    replay(&disk, &(Operation){.type = OP_SYNC, .name = base[i].name}, 0);
  }
  for (long i = 0; i < count; i++) replay(&disk, &operations[i], i + 1);
  int failure = writeDisk(&disk, mode, seed, folder);
  for (long i = 0; i < disk.fileCount; i++) {
    free(disk.files[i].bytes);
    free(disk.files[i].pending);
    free(disk.files[i].pendingIndex);
  }
  for (long i = 0; i < disk.nameCount; i++) free(disk.names[i].name);
  free(disk.files);
  free(disk.names);
  return failure;
}
