#include "block_source.h"

#include <cstring>
#include <string>

#include "../include/CLevelDB.h"
#include "coding.h"

using leveldb::Slice;
using leveldb::Status;

namespace stratus {
namespace {

// Memory that is kept for the next block.
constexpr size_t kKeptMemory = 64 * 1024;
// Bytes that a block takes in the cache beside its own, or nearly so.
constexpr size_t kEntrySize = 128;

void deleteKept(const Slice &, void *value) { delete static_cast<std::string *>(value); }

}  // namespace

uint32_t maskedChecksum(const Slice &block, char compression) {
    return cleveldb_mask_crc32c(cleveldb_crc32c(cleveldb_crc32c(0, block.data(), block.size()), &compression, 1));
}

void appendPlace(const BlockPlace &place, std::string *bytes) {
    appendVarint(place.offset, bytes);
    appendVarint(place.size, bytes);
}

bool readPlace(const char **bytes, const char *end, BlockPlace *place) {
    *bytes = readVarint(*bytes, end, &place->offset);
    if (*bytes != nullptr) *bytes = readVarint(*bytes, end, &place->size);
    return *bytes != nullptr;
}

void BlockContent::release() {
    if (handle_ != nullptr) cache_->Release(handle_);
    handle_ = nullptr;
    bytes_ = Slice();
    if (capacity_ <= kKeptMemory) return;
    memory_.reset();
    capacity_ = 0;
}

char *BlockContent::memory(size_t size) {
    if (size > capacity_) {
        memory_.reset(new char[size]);
        capacity_ = size;
    }
    return memory_.get();
}

Status BlockSource::read(const BlockPlace &place, bool keeps, BlockContent *content) const {
    content->release();
    if (cache_ == nullptr) return readFile(place, content);
    const uint64_t name[] = {number_, place.offset};
    const Slice key(reinterpret_cast<const char *>(name), sizeof name);
    content->handle_ = cache_->Lookup(key);
    if (content->handle_ == nullptr) {
        const Status status = readFile(place, content);
        if (!status.ok() || !keeps) return status;
        const auto size = content->bytes_.size();
        auto *const kept = new std::string(content->bytes_.data(), size);
        content->handle_ = cache_->Insert(key, kept, size + kEntrySize, deleteKept);
    }
    content->cache_ = cache_;
    content->bytes_ = *static_cast<const std::string *>(cache_->Value(content->handle_));
    return Status::OK();
}

Status BlockSource::readFile(const BlockPlace &place, BlockContent *content) const {
    const size_t size = place.size;
    Slice found;
    const Status status =
        file_->Read(place.offset, size + kTrailerSize, &found, content->memory(size + kTrailerSize));
    if (!status.ok()) return status;
    if (found.size() != size + kTrailerSize) return Status::Corruption("a table ends within a block");
    const Slice block(found.data(), size);
    const char *const trailer = found.data() + size;
    if (fixed32(trailer + 1) != maskedChecksum(block, trailer[0])) {
        return Status::Corruption("a block of a table does not have its checksum");
    }
    if (trailer[0] != leveldb::kNoCompression) return Status::Corruption("a block of a table is compressed");
    content->bytes_ = block;
    return Status::OK();
}

}  // namespace stratus
