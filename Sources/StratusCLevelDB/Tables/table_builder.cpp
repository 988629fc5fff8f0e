// Writes tables, in the place of LevelDB's own class; see table.cpp. What differs is where a block ends.
#include <leveldb/table_builder.h>

#include <memory>
#include <string>

#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/options.h>

#include "block.h"
#include "block_source.h"
#include "coding.h"
#include "keys.h"
#include "table_filter.h"
#include "table_format.h"

namespace leveldb {

using namespace stratus;

// Rows of so many bytes on average are read one by one, rather than in ranges, so that the others of their block are read
// for nothing: their blocks end when they have so many.
constexpr size_t kLargeRow = 256;
constexpr size_t kBlockOfLargeRows = 1024;

struct TableBuilder::Rep {
    Rep(const Options &options, WritableFile *file)
        : options(options), file(file), rows(options.block_restart_interval), index(1) {
        if (options.filter_policy != nullptr) filter = std::make_unique<TableFilterWriter>(options.filter_policy);
    }

    bool isBlockFull() const {
        const size_t size = rows.size();
        return size >= options.block_size || (size >= kBlockOfLargeRows && size >= kLargeRow * rows.rowCount());
    }

    // Adds the last block to the index, under the last key, made as short as what follows it allows.
    void addToIndex() {
        std::string place;
        appendPlace(last, &place);
        index.add(lastKey, place);
        isLastInIndex = true;
    }

    BlockPlace write(const Slice &block) {
        const BlockPlace place{offset, block.size()};
        std::string trailer(1, static_cast<char>(kNoCompression));
        appendFixed(maskedChecksum(block, kNoCompression), &trailer);
        append(block);
        append(trailer);
        return place;
    }

    void append(const Slice &bytes) {
        if (!status.ok()) return;
        status = file->Append(bytes);
        if (status.ok()) offset += bytes.size();
    }

    Options options;
    WritableFile *const file;
    uint64_t offset = 0;
    Status status;
    BlockWriter rows, index;
    std::unique_ptr<TableFilterWriter> filter;
    std::string lastKey;
    uint64_t count = 0;
    // The last block that was written, which comes into the index when the key behind it is known.
    BlockPlace last;
    bool isLastInIndex = true;
};

TableBuilder::TableBuilder(const Options &options, WritableFile *file) : rep_(new Rep(options, file)) {}

TableBuilder::~TableBuilder() { delete rep_; }

void TableBuilder::Add(const Slice &key, const Slice &value) {
    if (!ok()) return;
    Rep &rep = *rep_;
    // Rows come out of other tables, too, one of which may be damaged in a way that its checksums do not tell.
    if (rep.count > 0 && compareKeys(rep.lastKey, key) >= 0) {
        rep.status = Status::Corruption("rows of a table are not in order");
        return;
    }
    if (!rep.isLastInIndex) {
        rep.options.comparator->FindShortestSeparator(&rep.lastKey, key);
        rep.addToIndex();
    }
    if (rep.filter != nullptr) rep.filter->add(key);
    rep.lastKey.assign(key.data(), key.size());
    rep.count += 1;
    rep.rows.add(key, value);
    if (rep.isBlockFull()) Flush();
}

void TableBuilder::Flush() {
    Rep &rep = *rep_;
    if (!ok() || rep.rows.rowCount() == 0) return;
    rep.last = rep.write(rep.rows.finish());
    rep.rows.clear();
    rep.isLastInIndex = false;
    if (rep.filter != nullptr) rep.filter->beginBlock(rep.offset);
}

Status TableBuilder::status() const { return rep_->status; }

Status TableBuilder::Finish() {
    Rep &rep = *rep_;
    Flush();
    BlockWriter names(1);
    if (rep.filter != nullptr) {
        std::string place;
        appendPlace(rep.write(rep.filter->finish()), &place);
        names.add(kFilterPrefix + std::string(rep.options.filter_policy->Name()), place);
    }
    std::string footer;
    appendPlace(rep.write(names.finish()), &footer);
    if (!rep.isLastInIndex) {
        rep.options.comparator->FindShortSuccessor(&rep.lastKey);
        rep.addToIndex();
    }
    appendPlace(rep.write(rep.index.finish()), &footer);
    footer.resize(kFooterSize - sizeof kTableMagic);
    appendFixed(kTableMagic, &footer);
    rep.append(footer);
    return rep.status;
}

void TableBuilder::Abandon() {}

uint64_t TableBuilder::NumEntries() const { return rep_->count; }

uint64_t TableBuilder::FileSize() const { return rep_->offset; }

}  // namespace leveldb
