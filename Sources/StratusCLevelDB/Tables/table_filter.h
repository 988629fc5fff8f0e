// Filters of a table: of each 2 KiB of the file those keys whose blocks begin there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

namespace stratus {

// Whether a policy says of rows that no filter has that they may be there: then they need none.
inline bool isLeftOut(const leveldb::FilterPolicy &policy, const leveldb::Slice &key) {
    return policy.KeyMayMatch(key, leveldb::Slice());
}

class TableFilterWriter {
  public:
    // The policy must stay.
    explicit TableFilterWriter(const leveldb::FilterPolicy *policy) : policy_(policy) {}

    void beginBlock(uint64_t offset);
    void add(const leveldb::Slice &key);
    leveldb::Slice finish();

  private:
    void makeFilter();

    const leveldb::FilterPolicy *const policy_;
    // Keys without a filter yet, one behind the other, and where each begins.
    std::string keys_;
    std::vector<size_t> keyOffsets_;
    std::vector<leveldb::Slice> slices_;
    std::string bytes_;
    std::vector<uint32_t> offsets_;
};

class TableFilter {
  public:
    // None: all rows may be there.
    TableFilter() = default;
    // What is no filter says nothing either.
    TableFilter(const leveldb::FilterPolicy *policy, std::string bytes);

    // False only if no block that begins there has the key.
    bool mayHave(const leveldb::Slice &key, uint64_t blockOffset) const;

  private:
    const leveldb::FilterPolicy *policy_ = nullptr;
    std::string bytes_;
    size_t offsets_ = 0, count_ = 0;
    int logOfSpan_ = 0;
};

}  // namespace stratus
