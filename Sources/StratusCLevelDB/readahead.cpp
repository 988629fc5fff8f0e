#include "readahead.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace stratus {
namespace {

// Bytes that are read at once at first, and at most: twice as many each time, so that little is read in vain.
constexpr size_t kFirstPiece = 8 * 1024;
constexpr size_t kLargestPiece = 32 * 1024;
// Files that a thread reads by turns, as a compaction does.
constexpr size_t kWindows = 4;

// The piece of a file that a thread has read last.
struct Window {
    uint64_t file = 0;
    // Where the last read ended.
    uint64_t end = 0;
    // What is in memory, and how much is read next.
    uint64_t begin = 0;
    size_t size = 0, next = kFirstPiece;
    std::unique_ptr<char[]> bytes;
};

struct Windows {
    Window all[kWindows];
    size_t oldest = 0;

    Window *find(uint64_t file) {
        for (Window &window : all) {
            if (window.file == file) return &window;
        }
        return nullptr;
    }

    // The place of the one that was begun first.
    void begin(uint64_t file, uint64_t end) {
        Window &window = all[oldest];
        oldest = (oldest + 1) % kWindows;
        window.file = file;
        window.end = end;
        window.size = 0;
        window.next = kFirstPiece;
    }
};

ssize_t readWhole(int descriptor, uint64_t offset, size_t size, char *result) {
    size_t done = 0;
    while (done < size) {
        const ssize_t count = pread(descriptor, result + done, size - done, static_cast<off_t>(offset + done));
        if (count == 0) break;
        if (count > 0) {
            done += static_cast<size_t>(count);
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return static_cast<ssize_t>(done);
}

}  // namespace

uint64_t nextFileNumber() {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1) + 1;
}

ssize_t readAhead(uint64_t file, int descriptor, uint64_t offset, size_t size, char *result) {
    static thread_local Windows windows;
    Window *const window = windows.find(file);
    if (window == nullptr || window->end != offset || size > kLargestPiece) {
        const ssize_t count = readWhole(descriptor, offset, size, result);
        if (window == nullptr) {
            windows.begin(file, offset + size);
        } else {
            window->end = offset + size;
            window->next = kFirstPiece;
        }
        return count;
    }
    if (offset < window->begin || offset + size > window->begin + window->size) {
        if (window->bytes == nullptr) window->bytes.reset(new char[kLargestPiece]);
        const size_t wanted = std::max(size, window->next);
        const ssize_t count = readWhole(descriptor, offset, wanted, window->bytes.get());
        if (count < 0) {
            window->size = 0;
            return -1;
        }
        window->begin = offset;
        window->size = static_cast<size_t>(count);
        window->next = std::min(2 * window->next, kLargestPiece);
    }
    const size_t count = std::min(size, static_cast<size_t>(window->begin + window->size - offset));
    std::memcpy(result, window->bytes.get() + (offset - window->begin), count);
    window->end = offset + size;
    return static_cast<ssize_t>(count);
}

}  // namespace stratus
