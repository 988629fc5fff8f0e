// The order of rows. In a table, the key of a row is the one that was set (LevelDB's user key), followed by the number of
// the write that set it and by what the write was (its sequence number and type).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <leveldb/slice.h>

#include "coding.h"

namespace stratus {

// Bytes of a table's key behind the key that was set.
constexpr size_t kWriteSize = 8;

// Eight bytes as a number that compares as they do.
inline uint64_t orderedWord(const char *bytes) {
    uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(value) : value;
}

// Bytes compared as LevelDB's own comparator does it, eight at a time and without a call: the keys of a database begin
// alike, and a write compares its key some thirty times.
inline int compareBytes(const leveldb::Slice &left, const leveldb::Slice &right) {
    const size_t size = std::min(left.size(), right.size());
    const char *const first = left.data(), *const second = right.data();
    size_t place = 0;
    for (; place + sizeof(uint64_t) <= size; place += sizeof(uint64_t)) {
        const uint64_t one = orderedWord(first + place), other = orderedWord(second + place);
        if (one != other) return one < other ? -1 : 1;
    }
    if (size >= sizeof(uint64_t)) {
        // What is left, and of what was found to be the same as much as makes a word.
        const size_t last = size - sizeof(uint64_t);
        const uint64_t one = orderedWord(first + last), other = orderedWord(second + last);
        if (one != other) return one < other ? -1 : 1;
    } else {
        for (; place < size; place += 1) {
            const auto one = static_cast<uint8_t>(first[place]), other = static_cast<uint8_t>(second[place]);
            if (one != other) return one < other ? -1 : 1;
        }
    }
    return left.size() == right.size() ? 0 : left.size() < right.size() ? -1 : 1;
}

// The key that was set; `key` is a table's, so it has the write.
inline leveldb::Slice setKey(const leveldb::Slice &key) { return {key.data(), key.size() - kWriteSize}; }

inline uint64_t writeOf(const leveldb::Slice &key) { return fixed64(key.data() + key.size() - kWriteSize); }

// Later writes of a key come first.
inline int compareWrites(uint64_t left, uint64_t right) { return left == right ? 0 : left > right ? -1 : 1; }

inline int compareKeys(const leveldb::Slice &left, const leveldb::Slice &right) {
    const int order = compareBytes(setKey(left), setKey(right));
    return order != 0 ? order : compareWrites(writeOf(left), writeOf(right));
}

}  // namespace stratus
