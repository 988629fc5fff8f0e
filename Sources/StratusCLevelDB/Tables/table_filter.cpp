#include "table_filter.h"

#include <utility>

#include "coding.h"

using leveldb::Slice;

namespace stratus {

// A filter is of a span of two to the power of this many bytes.
constexpr int kLogOfSpan = 11;

void TableFilterWriter::beginBlock(uint64_t offset) {
    while (offsets_.size() < offset >> kLogOfSpan) makeFilter();
}

void TableFilterWriter::add(const Slice &key) {
    if (isLeftOut(*policy_, key)) return;
    keyOffsets_.push_back(keys_.size());
    keys_.append(key.data(), key.size());
}

Slice TableFilterWriter::finish() {
    if (!keyOffsets_.empty()) makeFilter();
    const auto end = static_cast<uint32_t>(bytes_.size());
    for (const uint32_t offset : offsets_) appendFixed(offset, &bytes_);
    appendFixed(end, &bytes_);
    bytes_.push_back(static_cast<char>(kLogOfSpan));
    return bytes_;
}

void TableFilterWriter::makeFilter() {
    offsets_.push_back(static_cast<uint32_t>(bytes_.size()));
    if (keyOffsets_.empty()) return;
    keyOffsets_.push_back(keys_.size());
    slices_.clear();
    for (size_t number = 0; number + 1 < keyOffsets_.size(); number += 1) {
        slices_.emplace_back(keys_.data() + keyOffsets_[number], keyOffsets_[number + 1] - keyOffsets_[number]);
    }
    policy_->CreateFilter(slices_.data(), static_cast<int>(slices_.size()), &bytes_);
    keys_.clear();
    keyOffsets_.clear();
}

TableFilter::TableFilter(const leveldb::FilterPolicy *policy, std::string bytes) : bytes_(std::move(bytes)) {
    // Where the filters' places begin, and how many bytes of the file each is of.
    constexpr size_t kEndSize = sizeof(uint32_t) + 1;
    if (bytes_.size() < kEndSize) return;
    const size_t end = bytes_.size() - kEndSize;
    logOfSpan_ = static_cast<unsigned char>(bytes_.back());
    offsets_ = fixed32(bytes_.data() + end);
    if (offsets_ > end || logOfSpan_ > 63) return;
    count_ = (end - offsets_) / sizeof(uint32_t);
    policy_ = policy;
}

bool TableFilter::mayHave(const Slice &key, uint64_t blockOffset) const {
    if (policy_ == nullptr || isLeftOut(*policy_, key)) return true;
    const uint64_t number = blockOffset >> logOfSpan_;
    if (number >= count_) return true;
    // Behind the last one's place stands where the places begin, which is where that filter ends.
    const char *const place = bytes_.data() + offsets_ + number * sizeof(uint32_t);
    const uint32_t begin = fixed32(place), end = fixed32(place + sizeof(uint32_t));
    if (begin > end || end > offsets_) return true;
    return policy_->KeyMayMatch(key, Slice(bytes_.data() + begin, end - begin));
}

}  // namespace stratus
