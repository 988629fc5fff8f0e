// A block of a table: rows in order, each told by what its key does not share with the one before it. Every few rows a
// key is whole (LevelDB's restart point); where these are stands at the end of the block, so that a search may begin there.
#pragma once

#include <cstdint>
#include <string>

#include <leveldb/slice.h>

namespace stratus {

class BlockWriter {
  public:
    explicit BlockWriter(int rowsPerWholeKey) : rowsPerWholeKey_(rowsPerWholeKey) {}

    // Adds a row whose key follows all that were added.
    void add(const leveldb::Slice &key, const leveldb::Slice &value);
    // The block, until the next call.
    leveldb::Slice finish();
    void clear();

    size_t rowCount() const { return rowCount_; }
    // Bytes of the block, if it were finished now.
    size_t size() const { return bytes_.size() + (wholeKeyCount_ + 1) * sizeof(uint32_t); }

  private:
    const size_t rowsPerWholeKey_;
    std::string bytes_, wholeKeys_, lastKey_;
    size_t rowCount_ = 0, wholeKeyCount_ = 0;
};

// Goes through the rows of a block.
class BlockCursor {
  public:
    BlockCursor() = default;
    BlockCursor(const BlockCursor &) = delete;
    BlockCursor &operator=(const BlockCursor &) = delete;

    // The block must stay. The cursor is at no row yet.
    void open(const leveldb::Slice &block);
    // As if no block had been opened.
    void close();

    // The first row from `key` on, by `compareKeys`.
    void seek(const leveldb::Slice &key);
    void seekToFirst();
    void seekToLast();
    // From a row to the one behind it, or before it.
    void next();
    void previous();

    // Whether it is at a row.
    bool isValid() const { return isValid_; }
    // Whether something in the block cannot be read; it then is at no row.
    bool isDamaged() const { return isDamaged_; }
    leveldb::Slice key() const { return key_; }
    leveldb::Slice value() const { return value_; }

  private:
    uint32_t wholeKey(uint32_t number) const;
    void goToWholeKey(uint32_t number);
    bool readRow();
    void joinKey(size_t shared, const leveldb::Slice &unshared);
    void fail();

    const char *bytes_ = nullptr;
    // Where the rows end.
    uint32_t end_ = 0;
    uint32_t wholeKeyCount_ = 0;
    // Where the row begins, and where the next one does.
    uint32_t current_ = 0, next_ = 0;
    bool isValid_ = false, isDamaged_ = false;
    leveldb::Slice key_, value_;
    // The key, where it is not whole in the block.
    std::string joined_;
};

}  // namespace stratus
