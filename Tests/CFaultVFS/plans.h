// The plans: which operation is to fail or to wait. Used by the VFS for every call that it forwards.

#ifndef FAULTVFS_PLANS_H
#define FAULTVFS_PLANS_H

/// Counts an operation in all plans that match it, and runs their hooks. Returns what the operation has to do:
/// FAULTVFS_CODE_OK to go on as usual, or another code.
int faultvfs_decide(int operation, int file, const char *path);

/// Whether a plan asks for reads, which a memory-mapped file would hide.
int faultvfs_watches_reads(void);

#endif
