// The recorder keeps the VFS's file operations, to build crash images from them. Each `faultvfs_record_` function is
// called after the operation has succeeded.

#ifndef FAULTVFS_RECORDER_H
#define FAULTVFS_RECORDER_H

#include <stdint.h>

/// Records that a file was opened and perhaps created. With `syncsFolder`, its first sync also syncs the folder.
void faultvfs_record_open(const char *path, int syncsFolder);
void faultvfs_record_write(const char *path, const void *bytes, int count, int64_t offset);
void faultvfs_record_truncate(const char *path, int64_t size);
/// Returns the mark of a sync that begins now, for `faultvfs_record_sync`: the sync doesn't cover writes that are
/// recorded while it runs.
long faultvfs_record_sync_mark(const char *path);
void faultvfs_record_sync(const char *path, long mark);
void faultvfs_record_delete(const char *path, int syncsFolder);

typedef enum { OP_OPEN, OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_DELETE } OperationType;

typedef struct {
  OperationType type;
  char *name;         // in the folder
  unsigned char *bytes;
  int64_t count;      // of a write
  int64_t offset;     // of a write; the size of a truncate
  long mark;          // of a sync: the operations from 1 to here are covered
  int syncsFolder;    // of an open and a delete
} Operation;

/// Builds the image of the first `count` operations on top of `base` (writes that were synced before the start).
int faultvfs_write_image(const Operation *base, long baseCount, const Operation *operations, long count, int mode,
                         uint64_t seed, const char *folder);

#endif
