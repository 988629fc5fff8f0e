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
__attribute__((target("sse4.2"))) uint32_t byInstruction(uint32_t checksum, const unsigned char *bytes, size_t size) {
    uint64_t wide = checksum;
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        std::memcpy(&word, bytes, sizeof word);
        wide = _mm_crc32_u64(wide, word);
    }
    return byTable(static_cast<uint32_t>(wide), bytes, size);
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
