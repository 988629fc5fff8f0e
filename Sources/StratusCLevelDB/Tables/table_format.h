// The end of a table's file, as LevelDB's description of the format has it.
#pragma once

#include <cstdint>

namespace stratus {

// The places of the block that names others, and of the index, then zeros, then a number that tells a table.
constexpr size_t kFooterSize = 48;
constexpr uint64_t kTableMagic = 0xDB4775248B80FB57;
// Stands before a policy's name, in the block that names others.
constexpr char kFilterPrefix[] = "filter.";

}  // namespace stratus
