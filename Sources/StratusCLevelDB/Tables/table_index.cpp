#include "table_index.h"

#include <algorithm>
#include <limits>

#include "block.h"
#include "coding.h"
#include "keys.h"

using leveldb::Slice;

namespace stratus {

constexpr size_t kWordSize = sizeof(uint64_t);

bool TableIndex::read(const Slice &indexBlock, uint64_t fileSize) {
    const uint64_t limit = std::min<uint64_t>(fileSize, std::numeric_limits<uint32_t>::max());
    std::string first, lastButOne, last;
    BlockCursor cursor;
    cursor.open(indexBlock);
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        const Slice value = cursor.value();
        const char *bytes = value.data();
        BlockPlace place;
        if (!readPlace(&bytes, bytes + value.size(), &place) || place.offset != offsets_.back()) return false;
        if (!place.isWithin(limit)) return false;
        offsets_.push_back(static_cast<uint32_t>(place.end()));
        lastButOne.swap(last);
        last.assign(cursor.key().data(), cursor.key().size());
        if (count() == 1) first = last;
    }
    if (cursor.isDamaged()) return false;
    offsets_.shrink_to_fit();
    return count() < 2 || readSeparators(indexBlock, setKey(first), setKey(lastButOne));
}

bool TableIndex::readSeparators(const Slice &indexBlock, const Slice &first, const Slice &last) {
    size_t common = 0;
    while (common < std::min(first.size(), last.size()) && first[common] == last[common]) common += 1;
    common_.assign(first.data(), common);
    words_.reserve(count() - 1);
    restOffsets_.reserve(count());
    restOffsets_.push_back(0);
    std::string before;
    BlockCursor cursor;
    cursor.open(indexBlock);
    for (cursor.seekToFirst(); words_.size() < count() - 1; cursor.next()) {
        const Slice separator = cursor.key();
        if (!before.empty() && compareKeys(before, separator) >= 0) return false;
        if (!setKey(separator).starts_with(common_)) return false;
        before.assign(separator.data(), separator.size());
        add(setKey(separator));
    }
    rests_.shrink_to_fit();
    return true;
}

void TableIndex::add(const Slice &setKey) {
    words_.push_back(word(setKey));
    const size_t size = wordSize(setKey), behindWord = common_.size() + size;
    rests_.push_back(static_cast<char>(size));
    rests_.append(setKey.data() + behindWord, setKey.size() - behindWord);
    restOffsets_.push_back(static_cast<uint32_t>(rests_.size()));
}

BlockPlace TableIndex::place(size_t number) const {
    return {offsets_[number], offsets_[number + 1] - offsets_[number] - kTrailerSize};
}

size_t TableIndex::find(const Slice &key) const {
    const Slice wanted = setKey(key);
    const size_t shared = std::min(wanted.size(), common_.size());
    const int order = compareBytes(Slice(wanted.data(), shared), Slice(common_.data(), shared));
    if (order != 0) return order < 0 ? 0 : words_.size();
    if (shared < common_.size()) return 0;
    const uint64_t word = this->word(wanted);
    size_t first = lowerBound(word);
    if (first == words_.size() || words_[first] != word) return first;
    // Of the separators with this word only those are before the key that are its beginnings, so the first is not too late.
    if (wanted.size() <= common_.size() + kWordSize) return first;
    // Separators that are the same up to here: mostly it is one.
    size_t last = first + 1;
    for (size_t step = 1; last < words_.size() && words_[last] == word; step *= 2) {
        last = std::min(last + step, words_.size());
    }
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (words_[middle] == word && compareRest(middle, wanted) < 0) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

bool TableIndex::mayGoOnBehind(size_t number, const Slice &key) const {
    const Slice wanted = setKey(key);
    if (!wanted.starts_with(common_)) return false;
    return words_[number] == word(wanted) && compareRest(number, wanted) <= 0;
}

// How many bytes of a key its word has.
size_t TableIndex::wordSize(const Slice &setKey) const { return std::min(setKey.size() - common_.size(), kWordSize); }

// The eight bytes behind the common ones, zeros for those that there are not, as a number that compares as they do.
uint64_t TableIndex::word(const Slice &setKey) const {
    char bytes[kWordSize] = {};
    std::memcpy(bytes, setKey.data() + common_.size(), wordSize(setKey));
    return orderedWord(bytes);
}

// Where a word would stand, if they were spread evenly.
size_t TableIndex::guess(uint64_t word) const {
    const uint64_t first = words_.front(), last = words_.back();
    if (word <= first || first == last) return 0;
    if (word >= last) return words_.size() - 1;
    const double share = static_cast<double>(word - first) / static_cast<double>(last - first);
    return std::min(static_cast<size_t>(share * static_cast<double>(words_.size())), words_.size() - 1);
}

size_t TableIndex::lowerBound(uint64_t word) const {
    if (words_.empty()) return 0;
    // From the guess on in steps that grow, so that a guess that is far off costs no more than a search that has none.
    const size_t start = guess(word);
    size_t first = 0, last = words_.size();
    if (words_[start] < word) {
        first = start + 1;
        for (size_t step = 1; first < last; step *= 2) {
            const size_t place = std::min(start + step, words_.size());
            if (place == words_.size()) break;
            if (words_[place] >= word) {
                last = place;
                break;
            }
            first = place + 1;
        }
    } else {
        last = start;
        for (size_t step = 1; first < last; step *= 2) {
            if (step > start) break;
            const size_t place = start - step;
            if (words_[place] < word) {
                first = place + 1;
                break;
            }
            last = place;
        }
    }
    const auto begin = words_.begin();
    return static_cast<size_t>(
        std::lower_bound(begin + static_cast<ptrdiff_t>(first), begin + static_cast<ptrdiff_t>(last), word) - begin);
}

// Compares a separator with a key that has the same word.
int TableIndex::compareRest(size_t number, const Slice &setKey) const {
    const size_t begin = restOffsets_[number];
    const Slice rest(rests_.data() + begin, restOffsets_[number + 1] - begin);
    const size_t size = static_cast<size_t>(rest[0]), otherSize = wordSize(setKey);
    // One of them ends where the other has zeros.
    if (size != otherSize) return size < otherSize ? -1 : 1;
    const size_t behindWord = common_.size() + size;
    return compareBytes(
        Slice(rest.data() + 1, rest.size() - 1), Slice(setKey.data() + behindWord, setKey.size() - behindWord));
}

}  // namespace stratus
