#pragma once
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/xattr.h>

// Of glibc, whose headers show them only to who defines _GNU_SOURCE, which Swift's importer does not.
int sync_file_range(int descriptor, off_t offset, off_t count, unsigned int flags);
int syncfs(int descriptor);
int adjtimex(struct timex *state);

/// Makes everything durable that was written to the file system that a descriptor is on.
static inline int files_sync_all(int descriptor) { return syncfs(descriptor); }

/// Makes Linux begin to write what is not on the disk yet of a range of a file, without waiting for it, and without
/// dropping it from memory. Nothing is promised by it: only a sync is.
static inline int files_begin_writing(int descriptor, off_t offset, off_t count) {
    const unsigned int write = 2; // SYNC_FILE_RANGE_WRITE
    return sync_file_range(descriptor, offset, count, write);
}

/// Whether something keeps the machine's clock right: 1 or 0, or -1 if the system does not say.
static inline int files_clock_is_synchronized(void) {
    struct timex state = {0};
    const int status = adjtimex(&state);
    return status < 0 ? -1 : (state.status & STA_UNSYNC) == 0;
}
