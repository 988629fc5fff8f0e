#pragma once
#include <sys/types.h>

// Of glibc, whose headers show it only to who defines _GNU_SOURCE, which Swift's importer does not.
int sync_file_range(int descriptor, off_t offset, off_t count, unsigned int flags);

/// Makes Linux begin to write what is not on the disk yet of a range of a file, without waiting for it, and without
/// dropping it from memory. Nothing is promised by it: only a sync is.
static inline int files_begin_writing(int descriptor, off_t offset, off_t count) {
    const unsigned int write = 2; // SYNC_FILE_RANGE_WRITE
    return sync_file_range(descriptor, offset, count, write);
}
