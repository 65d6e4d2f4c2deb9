// The plans decide which operations fail or wait. The VFS asks them before every call that it forwards.

#ifndef FAULTVFS_PLANS_H
#define FAULTVFS_PLANS_H

/// Counts an operation in all plans that match it, and runs their hooks. Returns FAULTVFS_CODE_OK if the operation
/// continues as usual, or else the code of its effect.
int faultvfs_decide(int operation, int file, const char *path);

/// Returns nonzero if a plan matches reads, which a memory-mapped file would hide.
int faultvfs_watches_reads(void);

#endif
