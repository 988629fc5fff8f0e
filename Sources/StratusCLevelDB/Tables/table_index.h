// Where the blocks of a table lie, and between which keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <leveldb/slice.h>

#include "block_source.h"

namespace stratus {

// What a table's index block says, in a form that is searched with few cold lines of memory: of each separator the eight
// bytes behind those that all begin with, side by side. Where keys are spread evenly, a guess is right or nearly so.
class TableIndex {
  public:
    // False for what is no index of blocks that lie one behind the other from the file's beginning, or of more than 4 GiB.
    bool read(const leveldb::Slice &indexBlock, uint64_t fileSize);

    size_t count() const { return offsets_.size() - 1; }
    // The block in which the first row from `key` on is, or one before it, from where that one is found by going on; less
    // than `count` unless that is 0.
    size_t find(const leveldb::Slice &key) const;
    // Whether rows that were set with this key may be in the block behind this one, too. Not for the last block.
    bool mayGoOnBehind(size_t number, const leveldb::Slice &key) const;
    BlockPlace place(size_t number) const;

  private:
    // Of all blocks but the last: keys behind which rows are in a later one. That of the last is not needed, and would often
    // have nothing in common with the others.
    bool readSeparators(const leveldb::Slice &indexBlock, const leveldb::Slice &first, const leveldb::Slice &last);
    void add(const leveldb::Slice &setKey);
    size_t wordSize(const leveldb::Slice &setKey) const;
    uint64_t word(const leveldb::Slice &setKey) const;
    size_t guess(uint64_t word) const;
    // The first separator whose word is `word` at least.
    size_t lowerBound(uint64_t word) const;
    int compareRest(size_t number, const leveldb::Slice &setKey) const;

    // Where each block begins; where one behind the last would.
    std::vector<uint32_t> offsets_{0};
    // What all separators begin with.
    std::string common_;
    std::vector<uint64_t> words_;
    // Of each separator: how many bytes of its word are of the key, and what follows the word. Not the write, which tells
    // blocks apart only where a key was written over and over while somebody reads what was there before.
    std::string rests_;
    std::vector<uint32_t> restOffsets_;
};

}  // namespace stratus
