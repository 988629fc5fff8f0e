// Numbers as LevelDB's tables have them: little-endian, or in groups of seven bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace stratus {

inline uint32_t fixed32(const char *bytes) {
    uint32_t value;
    std::memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap32(value);
}

inline uint64_t fixed64(const char *bytes) {
    uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

template <typename Number> void appendFixed(Number value, std::string *bytes) {
    for (size_t place = 0; place < sizeof value; place += 1) bytes->push_back(static_cast<char>(value >> 8 * place));
}

inline void appendVarint(uint64_t value, std::string *bytes) {
    for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>(value | 0x80));
    bytes->push_back(static_cast<char>(value));
}

// Where the number ends; nil if it does not before `end`, or is too large.
template <typename Number> const char *readVarint(const char *bytes, const char *end, Number *value) {
    constexpr int bits = 8 * sizeof(Number);
    Number result = 0;
    for (int shift = 0; shift < bits && bytes < end; shift += 7, bytes += 1) {
        const Number group = static_cast<unsigned char>(*bytes) & 0x7F;
        if (shift + 7 > bits && group >> (bits - shift) != 0) return nullptr;
        result |= group << shift;
        if (static_cast<signed char>(*bytes) < 0) continue;
        *value = result;
        return bytes + 1;
    }
    return nullptr;
}

}  // namespace stratus
