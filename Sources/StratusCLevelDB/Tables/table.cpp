// Reads tables, in the place of LevelDB's own class: the linker takes this one and leaves the archive's member out.
//
// The files are the same. What differs is how a row is found that is not in the cache: LevelDB looks through its index
// block as it lies in the file, some sixteen cold lines of memory, asks the filter also of rows that are left out of it,
// and allocates memory for a block, an object for it and two iterators, which are thrown away with it.
#include <leveldb/table.h>

#include <memory>
#include <string>

#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>

#include "block.h"
#include "block_source.h"
#include "coding.h"
#include "table_filter.h"
#include "table_format.h"
#include "table_index.h"

using leveldb::Slice;
using leveldb::Status;

namespace stratus {
namespace {

Status damagedBlock() { return Status::Corruption("a block of a table cannot be read"); }

// Goes through the rows of a table.
class TableIterator final : public leveldb::Iterator {
  public:
    TableIterator(const BlockSource &blocks, const TableIndex &index, bool keepsBlocks)
        : blocks_(blocks), index_(index), keepsBlocks_(keepsBlocks), number_(index.count()) {}

    bool Valid() const override { return cursor_.isValid(); }
    Slice key() const override { return cursor_.key(); }
    Slice value() const override { return cursor_.value(); }
    Status status() const override { return status_; }

    void Seek(const Slice &key) override {
        for (size_t number = index_.find(key); open(number); number += 1) {
            cursor_.seek(key);
            if (cursor_.isValid() || isDamaged()) return;
        }
    }

    void SeekToFirst() override {
        if (!open(0)) return;
        cursor_.seekToFirst();
        skipForwards();
    }

    void SeekToLast() override {
        if (index_.count() == 0 || !open(index_.count() - 1)) return;
        cursor_.seekToLast();
        skipBackwards();
    }

    void Next() override {
        cursor_.next();
        skipForwards();
    }

    void Prev() override {
        cursor_.previous();
        skipBackwards();
    }

  private:
    // Makes a block the one that is gone through. False if there is none, or it cannot be read.
    bool open(size_t number) {
        if (number < index_.count() && number == number_ && !cursor_.isDamaged()) return true;
        number_ = index_.count();
        cursor_.close();
        if (number >= index_.count()) return false;
        const Status status = blocks_.read(index_.place(number), keepsBlocks_, &content_);
        if (!status.ok()) {
            fail(status);
            return false;
        }
        number_ = number;
        cursor_.open(content_.bytes());
        return true;
    }

    void skipForwards() {
        while (!cursor_.isValid() && !isDamaged() && open(number_ + 1)) cursor_.seekToFirst();
    }

    void skipBackwards() {
        while (!cursor_.isValid() && !isDamaged() && number_ > 0 && open(number_ - 1)) cursor_.seekToLast();
    }

    bool isDamaged() {
        if (cursor_.isDamaged()) fail(damagedBlock());
        return cursor_.isDamaged();
    }

    // Stays, whatever is read afterwards: rows may have been left out.
    void fail(const Status &status) {
        if (status_.ok()) status_ = status;
    }

    const BlockSource &blocks_;
    const TableIndex &index_;
    const bool keepsBlocks_;
    // Of the block that is gone through; as many as there are if there is none.
    size_t number_;
    BlockContent content_;
    BlockCursor cursor_;
    Status status_;
};

}  // namespace
}  // namespace stratus

namespace leveldb {

using namespace stratus;

struct Table::Rep {
    Rep(const Options &options, const RandomAccessFile *file) : blocks(file, options.block_cache) {}

    // Reads what is kept in memory.
    Status open(const Options &options, const RandomAccessFile *file, uint64_t size);
    Status openFilter(const BlockSource &reader, const BlockPlace &names, uint64_t size, const FilterPolicy *policy);

    const BlockSource blocks;
    TableIndex index;
    TableFilter filter;
};

Status Table::Rep::open(const Options &options, const RandomAccessFile *file, uint64_t size) {
    if (size < kFooterSize) return Status::Corruption("a file is too short to be a table");
    char memory[kFooterSize];
    Slice footer;
    const Status status = file->Read(size - kFooterSize, kFooterSize, &footer, memory);
    if (!status.ok()) return status;
    const char *const end = footer.data() + kFooterSize - sizeof kTableMagic;
    if (footer.size() != kFooterSize || fixed64(end) != kTableMagic) return Status::Corruption("a file is no table");
    BlockPlace names, indexPlace;
    const char *bytes = footer.data();
    if (!readPlace(&bytes, end, &names) || !readPlace(&bytes, end, &indexPlace) || !names.isWithin(size)
        || !indexPlace.isWithin(size)) {
        return Status::Corruption("a table does not tell where its index is");
    }
    // Read once, and kept in another form.
    const BlockSource reader(file, nullptr);
    BlockContent content;
    const Status read = reader.read(indexPlace, false, &content);
    if (!read.ok()) return read;
    if (!index.read(content.bytes(), size)) return Status::Corruption("the index of a table cannot be read");
    return options.filter_policy == nullptr ? Status::OK() : openFilter(reader, names, size, options.filter_policy);
}

Status Table::Rep::openFilter(
    const BlockSource &reader, const BlockPlace &names, uint64_t size, const FilterPolicy *policy) {
    BlockContent content;
    const Status status = reader.read(names, false, &content);
    if (!status.ok()) return status;
    const std::string name = kFilterPrefix + std::string(policy->Name());
    BlockCursor cursor;
    cursor.open(content.bytes());
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        if (cursor.key() != Slice(name)) continue;
        const Slice value = cursor.value();
        const char *bytes = value.data();
        BlockPlace place;
        if (!readPlace(&bytes, bytes + value.size(), &place) || !place.isWithin(size)) {
            return Status::Corruption("a table does not tell where its filter is");
        }
        BlockContent found;
        const Status read = reader.read(place, false, &found);
        if (read.ok()) filter = TableFilter(policy, found.bytes().ToString());
        return read;
    }
    return cursor.isDamaged() ? damagedBlock() : Status::OK();
}

Status Table::Open(const Options &options, RandomAccessFile *file, uint64_t size, Table **table) {
    *table = nullptr;
    auto rep = std::make_unique<Rep>(options, file);
    const Status status = rep->open(options, file, size);
    if (status.ok()) *table = new Table(rep.release());
    return status;
}

Table::~Table() { delete rep_; }

Iterator *Table::NewIterator(const ReadOptions &options) const {
    return new TableIterator(rep_->blocks, rep_->index, options.fill_cache);
}

Status Table::InternalGet(
    const ReadOptions &options, const Slice &key, void *argument, void (*found)(void *, const Slice &, const Slice &)) {
    thread_local BlockContent content;
    thread_local BlockCursor cursor;
    const TableIndex &index = rep_->index;
    const size_t first = index.find(key);
    size_t number = first;
    while (number < index.count()) {
        const BlockPlace place = index.place(number);
        if (rep_->filter.mayHave(key, place.offset)) {
            // Not many blocks for one key, which was written over and over while somebody reads what was there before.
            const bool keeps = options.fill_cache && number == first;
            const Status status = rep_->blocks.read(place, keeps, &content);
            if (!status.ok()) return status;
            cursor.open(content.bytes());
            cursor.seek(key);
            const bool isDamaged = cursor.isDamaged(), isFound = cursor.isValid();
            if (isFound) found(argument, cursor.key(), cursor.value());
            content.release();
            if (isDamaged) return damagedBlock();
            if (isFound) return Status::OK();
        }
        number += 1;
        if (number < index.count() && !index.mayGoOnBehind(number - 1, key)) break;
    }
    return Status::OK();
}

uint64_t Table::ApproximateOffsetOf(const Slice &key) const {
    const TableIndex &index = rep_->index;
    return index.count() == 0 ? 0 : index.place(index.find(key)).offset;
}

}  // namespace leveldb
