// Reads the blocks of a table's file, checks them, and keeps some in the cache. LevelDB calls a block's place its handle.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <leveldb/cache.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/status.h>

namespace stratus {

// Bytes behind each block: how it is compressed, which ours are not, and a checksum.
constexpr size_t kTrailerSize = 5;

// The checksum of a block and the byte behind it, as it stands behind both.
uint32_t maskedChecksum(const leveldb::Slice &block, char compression);

struct BlockPlace {
    uint64_t offset = 0;
    // Without the trailer.
    uint64_t size = 0;

    // Where the block behind this one may begin. Only for places within a file.
    uint64_t end() const { return offset + size + kTrailerSize; }
    bool isWithin(uint64_t fileSize) const {
        return fileSize >= kTrailerSize && offset <= fileSize - kTrailerSize
            && size <= fileSize - kTrailerSize - offset;
    }
};

void appendPlace(const BlockPlace &place, std::string *bytes);
// Reads a place, and moves `bytes` behind it. False if there is none before `end`.
bool readPlace(const char **bytes, const char *end, BlockPlace *place);

// A block in memory: in the cache, or its own.
class BlockContent {
  public:
    BlockContent() = default;
    ~BlockContent() { release(); }
    BlockContent(const BlockContent &) = delete;
    BlockContent &operator=(const BlockContent &) = delete;

    leveldb::Slice bytes() const { return bytes_; }
    // Gives back what is in the cache; memory of its own is kept for the next block, if it is not much.
    void release();

  private:
    friend class BlockSource;
    char *memory(size_t size);

    leveldb::Slice bytes_;
    leveldb::Cache *cache_ = nullptr;
    leveldb::Cache::Handle *handle_ = nullptr;
    std::unique_ptr<char[]> memory_;
    size_t capacity_ = 0;
};

class BlockSource {
  public:
    // Cache and file must outlive it; without a cache each block is read from the file.
    BlockSource(const leveldb::RandomAccessFile *file, leveldb::Cache *cache)
        : file_(file), cache_(cache), number_(cache == nullptr ? 0 : cache->NewId()) {}

    // Reads a block that is not in the cache, and puts it there if `keeps`.
    leveldb::Status read(const BlockPlace &place, bool keeps, BlockContent *content) const;

  private:
    leveldb::Status readFile(const BlockPlace &place, BlockContent *content) const;

    const leveldb::RandomAccessFile *const file_;
    leveldb::Cache *const cache_;
    // Of the file, in the cache.
    const uint64_t number_;
};

}  // namespace stratus
