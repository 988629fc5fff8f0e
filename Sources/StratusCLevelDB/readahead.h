// Reads tables a piece ahead where somebody reads on from where they were: pages of changes, scans and compactions
// look at one block after the other, and a call of the system for each costs more than its bytes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace stratus {

// Tells apart the files that were ever open, also where one has the place in memory of another that has gone.
uint64_t nextFileNumber();

// Reads from a file that is never changed, as pread does, over what this thread read ahead.
//
// Returns the count of bytes, less than `size` only at the end of the file, or -1 with errno.
ssize_t readAhead(uint64_t file, int descriptor, uint64_t offset, size_t size, char *result);

}  // namespace stratus
