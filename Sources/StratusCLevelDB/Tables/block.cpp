#include "block.h"

#include <algorithm>
#include <limits>

#include "coding.h"
#include "keys.h"

using leveldb::Slice;

namespace stratus {

void BlockWriter::add(const Slice &key, const Slice &value) {
    size_t shared = 0;
    if (rowCount_ % rowsPerWholeKey_ == 0) {
        appendFixed(static_cast<uint32_t>(bytes_.size()), &wholeKeys_);
        wholeKeyCount_ += 1;
    } else {
        const size_t size = std::min(lastKey_.size(), key.size());
        while (shared < size && lastKey_[shared] == key[shared]) shared += 1;
    }
    appendVarint(shared, &bytes_);
    appendVarint(key.size() - shared, &bytes_);
    appendVarint(value.size(), &bytes_);
    bytes_.append(key.data() + shared, key.size() - shared);
    bytes_.append(value.data(), value.size());
    lastKey_.resize(shared);
    lastKey_.append(key.data() + shared, key.size() - shared);
    rowCount_ += 1;
}

Slice BlockWriter::finish() {
    // A block without rows has the place of a whole key all the same.
    if (wholeKeyCount_ == 0) {
        appendFixed(uint32_t{0}, &wholeKeys_);
        wholeKeyCount_ = 1;
    }
    bytes_ += wholeKeys_;
    appendFixed(static_cast<uint32_t>(wholeKeyCount_), &bytes_);
    return bytes_;
}

void BlockWriter::clear() {
    bytes_.clear();
    wholeKeys_.clear();
    rowCount_ = wholeKeyCount_ = 0;
}

void BlockCursor::open(const Slice &block) {
    close();
    bytes_ = block.data();
    if (block.size() < sizeof(uint32_t) || block.size() > std::numeric_limits<uint32_t>::max()) return fail();
    const auto size = static_cast<uint32_t>(block.size());
    // Even a block without rows has one whole key.
    const uint32_t count = fixed32(bytes_ + size - sizeof(uint32_t));
    if (count == 0 || count > (size - sizeof(uint32_t)) / sizeof(uint32_t)) return fail();
    wholeKeyCount_ = count;
    end_ = size - (count + 1) * static_cast<uint32_t>(sizeof(uint32_t));
}

void BlockCursor::close() {
    isValid_ = isDamaged_ = false;
    end_ = wholeKeyCount_ = current_ = next_ = 0;
}

void BlockCursor::seek(const Slice &key) {
    if (wholeKeyCount_ == 0) return;
    // The last whole key before it.
    uint32_t first = 0, last = wholeKeyCount_ - 1;
    while (first < last) {
        const uint32_t middle = last - (last - first) / 2;
        goToWholeKey(middle);
        if (!readRow()) return;
        if (compareKeys(key_, key) < 0) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    goToWholeKey(first);
    while (readRow() && compareKeys(key_, key) < 0) continue;
}

void BlockCursor::seekToFirst() {
    if (wholeKeyCount_ == 0) return;
    goToWholeKey(0);
    readRow();
}

void BlockCursor::seekToLast() {
    if (wholeKeyCount_ == 0) return;
    goToWholeKey(wholeKeyCount_ - 1);
    while (readRow() && next_ < end_) continue;
}

void BlockCursor::next() { readRow(); }

void BlockCursor::previous() {
    const uint32_t present = current_;
    uint32_t number = wholeKeyCount_ - 1;
    while (wholeKey(number) >= present) {
        if (number == 0) {
            isValid_ = false;
            return;
        }
        number -= 1;
    }
    goToWholeKey(number);
    while (readRow() && next_ < present) continue;
}

uint32_t BlockCursor::wholeKey(uint32_t number) const { return fixed32(bytes_ + end_ + number * sizeof(uint32_t)); }

void BlockCursor::goToWholeKey(uint32_t number) {
    next_ = wholeKey(number);
    key_ = Slice();
    // Only where there is no row may it lie at the end of the rows.
    if (next_ > end_ || (next_ == end_ && end_ > 0)) fail();
}

// Reads the row that begins where the last one ended. False at the end, and for what is no row.
bool BlockCursor::readRow() {
    isValid_ = false;
    if (isDamaged_ || next_ >= end_) return false;
    const char *place = bytes_ + next_;
    const char *const end = bytes_ + end_;
    uint32_t shared = 0, unshared = 0, size = 0;
    place = readVarint(place, end, &shared);
    if (place != nullptr) place = readVarint(place, end, &unshared);
    if (place != nullptr) place = readVarint(place, end, &size);
    if (place == nullptr || shared > key_.size() || uint64_t{unshared} + size > static_cast<uint64_t>(end - place)
        || uint64_t{shared} + unshared < kWriteSize) {
        fail();
        return false;
    }
    if (shared == 0) {
        key_ = Slice(place, unshared);
    } else {
        joinKey(shared, Slice(place, unshared));
    }
    value_ = Slice(place + unshared, size);
    current_ = next_;
    next_ = static_cast<uint32_t>(place + unshared + size - bytes_);
    return isValid_ = true;
}

void BlockCursor::joinKey(size_t shared, const Slice &unshared) {
    if (key_.data() == joined_.data()) {
        joined_.resize(shared);
    } else {
        joined_.assign(key_.data(), shared);
    }
    joined_.append(unshared.data(), unshared.size());
    key_ = joined_;
}

void BlockCursor::fail() {
    isValid_ = false;
    isDamaged_ = true;
}

}  // namespace stratus
