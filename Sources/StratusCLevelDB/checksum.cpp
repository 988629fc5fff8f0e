#include "include/CLevelDB.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace {

// Castagnoli's polynomial, bits reversed.
constexpr uint32_t kPolynomial = 0x82F63B78;

constexpr std::array<uint32_t, 256> makeTable() {
    std::array<uint32_t, 256> table{};
    for (uint32_t index = 0; index < 256; ++index) {
        uint32_t value = index;
        for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ kPolynomial : value >> 1;
        table[index] = value;
    }
    return table;
}

constexpr auto kTable = makeTable();

uint32_t byTable(uint32_t checksum, const unsigned char *bytes, size_t size) {
    for (size_t index = 0; index < size; ++index) checksum = kTable[(checksum ^ bytes[index]) & 0xFF] ^ checksum >> 8;
    return checksum;
}

#if defined(__x86_64__)
uint64_t wordAt(const unsigned char *bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// The instruction takes three cycles, but one can begin in each: so three lanes are run side by side. This many bytes in
// each of them are a small block of a table but for some bytes, and a large one is some of these.
constexpr size_t kLane = 336;

using Shift = std::array<std::array<uint32_t, 256>, 4>;

// What a lane of zeros makes of each byte of a checksum. It is linear, so single bits tell it all.
constexpr Shift makeShift() {
    Shift shift{};
    for (int place = 0; place < 4; ++place) {
        for (int bit = 0; bit < 8; ++bit) {
            uint32_t value = 1u << (8 * place + bit);
            for (size_t index = 0; index < kLane; ++index) value = kTable[value & 0xFF] ^ value >> 8;
            for (uint32_t byte = 0; byte < 256; ++byte) {
                if (byte >> bit & 1) shift[place][byte] ^= value;
            }
        }
    }
    return shift;
}

constexpr auto kShift = makeShift();

// The checksum of what `checksum` is of, followed by a lane of zeros.
uint32_t behindLane(uint64_t checksum) {
    return kShift[0][checksum & 0xFF] ^ kShift[1][checksum >> 8 & 0xFF] ^ kShift[2][checksum >> 16 & 0xFF]
        ^ kShift[3][checksum >> 24 & 0xFF];
}

__attribute__((target("sse4.2"))) uint32_t byInstruction(uint32_t checksum, const unsigned char *bytes, size_t size) {
    uint64_t first = checksum;
    for (; size >= 3 * kLane; size -= 3 * kLane, bytes += 3 * kLane) {
        uint64_t second = 0, third = 0;
        for (size_t index = 0; index < kLane; index += 8) {
            first = _mm_crc32_u64(first, wordAt(bytes + index));
            second = _mm_crc32_u64(second, wordAt(bytes + kLane + index));
            third = _mm_crc32_u64(third, wordAt(bytes + 2 * kLane + index));
        }
        first = behindLane(behindLane(first) ^ second) ^ third;
    }
    for (; size >= 8; size -= 8, bytes += 8) first = _mm_crc32_u64(first, wordAt(bytes));
    return byTable(static_cast<uint32_t>(first), bytes, size);
}
#endif

}  // namespace

namespace leveldb {
namespace crc32c {

// In place of LevelDB's own function, which the distribution builds without the processor's instruction: that took a
// fifth of a page of records read here and there. The linker takes this one, and leaves the archive's member out.
uint32_t Extend(uint32_t before, const char *bytes, size_t size) { return cleveldb_crc32c(before, bytes, size); }

}  // namespace crc32c
}  // namespace leveldb

uint32_t cleveldb_crc32c(uint32_t before, const void *memory, size_t size) {
    const auto *bytes = static_cast<const unsigned char *>(memory);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return ~byInstruction(~before, bytes, size);
#endif
    return ~byTable(~before, bytes, size);
}

uint32_t cleveldb_mask_crc32c(uint32_t checksum) { return (checksum >> 15 | checksum << 17) + 0xA282EAD8; }
