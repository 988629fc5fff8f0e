#include "files.h"
#include "readahead.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using leveldb::Slice;
using leveldb::Status;

namespace stratus {
namespace {

constexpr mode_t kOwnerOnly = 0600;
// Nobody waits for a compaction as long as there is room for writes, but it would keep a core from requests for
// milliseconds.
constexpr int kCompactionNiceness = 5;
// Written before a sync asks for it, so that a large table does not collect in memory.
constexpr size_t kBufferSize = 256 * 1024;
// What a call of the system is given at most: Linux takes blocks of memory as large as what is written, and large ones come
// slowly where a host lends them.
constexpr size_t kSliceSize = 64 * 1024;
// Zeros that are put behind the writes of a log, for the next ones to take the place of: a sync of a file that does not
// grow waits for its bytes alone, not for the file system's own log.
constexpr size_t kZerosAhead = 1024 * 1024;
// A write as large as this waits for its own bytes more than for anything that growing adds.
constexpr size_t kLargeWrite = kZerosAhead / 8;

bool endsWith(const std::string &name, const char *end) {
    const size_t size = std::strlen(end);
    return name.size() >= size && name.compare(name.size() - size, size, end) == 0;
}

// A descriptor that is closed with its owner.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int number() const { return number_; }
    // 0, or the system's error.
    int closeNow() {
        const int number = number_;
        number_ = -1;
        return number >= 0 && close(number) != 0 ? errno : 0;
    }

  private:
    int number_;
};

// Read from its beginning to its end: logs, manifests and the name of the present one.
class SequentialFile final : public leveldb::SequentialFile {
  public:
    SequentialFile(Files &files, std::string name, int descriptor)
        : files_(files), name_(std::move(name)), descriptor_(descriptor) {}

    Status Read(size_t size, Slice *result, char *scratch) override {
        if (int error = files_.fault(cleveldb_read, name_)) return Files::failure(error, name_);
        ssize_t count;
        do count = read(descriptor_.number(), scratch, size);
        while (count < 0 && errno == EINTR);
        if (count < 0) return Files::failure(errno, name_);
        *result = Slice(scratch, static_cast<size_t>(count));
        return Status::OK();
    }

    Status Skip(uint64_t size) override {
        if (lseek(descriptor_.number(), static_cast<off_t>(size), SEEK_CUR) < 0) return Files::failure(errno, name_);
        return Status::OK();
    }

  private:
    Files &files_;
    const std::string name_;
    Descriptor descriptor_;
};

// A table. Not mapped into memory: pages that are only mapped count as the process' own.
class RandomAccessFile final : public leveldb::RandomAccessFile {
  public:
    RandomAccessFile(Files &files, std::string name, int descriptor)
        : files_(files), name_(std::move(name)), descriptor_(descriptor) {}

    Status Read(uint64_t offset, size_t size, Slice *result, char *scratch) const override {
        *result = Slice(scratch, 0);
        if (int error = files_.fault(cleveldb_read, name_)) return Files::failure(error, name_);
        const ssize_t count = readAhead(number_, descriptor_.number(), offset, size, scratch);
        if (count < 0) return Files::failure(errno, name_);
        *result = Slice(scratch, static_cast<size_t>(count));
        return Status::OK();
    }

  private:
    Files &files_;
    const std::string name_;
    const Descriptor descriptor_;
    const uint64_t number_ = nextFileNumber();
};

// Everything that is written. What is appended reaches the system with the sync that makes it durable: LevelDB asks
// for a flush after each piece of a record, and nothing here is ever wanted without a sync.
class WritableFile final : public leveldb::WritableFile {
  public:
    WritableFile(Files &files, std::string name, int descriptor, uint64_t size)
        : files_(files), name_(std::move(name)), isLog_(endsWith(name_, ".log")), descriptor_(descriptor),
          written_(size), size_(size) {}

    ~WritableFile() override { Close(); }

    Status Append(const Slice &data) override {
        buffer_.append(data.data(), data.size());
        // What a log has beyond its last sync must be removable, so a log is written in one piece.
        return !isLog_ && buffer_.size() >= kBufferSize ? write() : Status::OK();
    }

    Status Flush() override { return Status::OK(); }

    Status Sync() override {
        Status status = write();
        if (!status.ok()) return status;
        if (!isInDirectory_) {
            status = syncDirectory();
            if (!status.ok()) return status;
            isInDirectory_ = true;
        }
        int error = files_.fault(cleveldb_sync, name_);
        if (error == 0 && fdatasync(descriptor_.number()) != 0) error = errno;
        if (error == 0) return Status::OK();
        if (isLog_) files_.noteUnknownLog();
        return Files::failure(error, name_);
    }

    Status Close() override {
        if (descriptor_.number() < 0) return Status::OK();
        const Status status = write();
        const int error = descriptor_.closeNow();
        if (!status.ok() || error == 0) return status;
        return Files::failure(error, name_);
    }

  private:
    Status write() {
        // After a failure nobody knows what is in the file.
        if (failure_ != 0) return Files::failure(failure_, name_);
        int error = files_.fault(cleveldb_append, name_);
        if (error == 0) error = writeAt(written_, buffer_);
        const size_t count = buffer_.size();
        buffer_.clear();
        if (error == 0) {
            if (!isLog_) beginWriteback(written_, count);
            written_ += count;
            if (written_ <= size_) return Status::OK();
            size_ = written_;
            if (isLog_ && hasRoomAhead_ && count < kLargeWrite) putZerosAhead();
            return Status::OK();
        }
        failure_ = error;
        // So that the log ends with the last write that was acknowledged.
        if (isLog_ && ftruncate(descriptor_.number(), static_cast<off_t>(written_)) != 0) files_.noteUnknownLog();
        return Files::failure(error, name_);
    }

    // A table goes to the disk piece by piece while it is made, behind what others wait for. Left to the sync at its end
    // it would go at once, and the sync of a log, for which saves wait, would stand behind all of it.
    void beginWriteback(uint64_t place, size_t size) const {
        // Nothing depends on it, so neither does anything on its failing.
        static_cast<void>(sync_file_range(
            descriptor_.number(), static_cast<off64_t>(place), static_cast<off64_t>(size), SYNC_FILE_RANGE_WRITE));
    }

    // 0, or the system's error.
    int writeAt(uint64_t place, const std::string &bytes) const {
        size_t done = 0;
        while (done < bytes.size()) {
            const size_t size = std::min(bytes.size() - done, kSliceSize);
            const ssize_t count =
                pwrite(descriptor_.number(), bytes.data() + done, size, static_cast<off_t>(place + done));
            if (count >= 0) {
                done += static_cast<size_t>(count);
            } else if (errno != EINTR) {
                return errno;
            }
        }
        return 0;
    }

    // Whoever reads the log stops at zeros. Where there is no room for them, the file grows with each write.
    void putZerosAhead() {
        static const std::string zeros(kZerosAhead / 16, '\0');
        for (const uint64_t end = written_ + kZerosAhead; size_ < end; size_ += zeros.size()) {
            if (files_.fault(cleveldb_extend, name_) == 0 && writeAt(size_, zeros) == 0) continue;
            hasRoomAhead_ = false;
            // What is left behind when this fails is zeros, too.
            if (ftruncate(descriptor_.number(), static_cast<off_t>(written_)) == 0) size_ = written_;
            return;
        }
    }

    Status syncDirectory() {
        const size_t slash = name_.rfind('/');
        const std::string directory = slash == std::string::npos ? "." : name_.substr(0, slash);
        Descriptor descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (descriptor.number() < 0 || fsync(descriptor.number()) != 0) return Files::failure(errno, directory);
        return Status::OK();
    }

    Files &files_;
    const std::string name_;
    const bool isLog_;
    Descriptor descriptor_;
    // Where the last write ends, and the file.
    uint64_t written_, size_;
    bool hasRoomAhead_ = true;
    std::string buffer_;
    bool isInDirectory_ = false;
    // The error of the write that failed, 0 if none did.
    int failure_ = 0;
};

// The store's directory is locked as a whole, before a database in it is opened.
class NoLock final : public leveldb::FileLock {};

// What LevelDB would tell of its compactions.
class NoLogger final : public leveldb::Logger {
  public:
    void Logv(const char *, std::va_list) override {}
};

}  // namespace

Files::Files(const cleveldb_options &options)
    : EnvWrapper(leveldb::Env::Default()), fault_(options.fault), faultContext_(options.fault_context),
      hold_(options.hold) {}

int Files::fault(cleveldb_operation operation, const std::string &name) const {
    return fault_ == nullptr ? 0 : fault_(faultContext_, operation, name.c_str());
}

Status Files::failure(int error, const std::string &name) {
    const std::string reason = std::strerror(error) + std::string(" [") + std::to_string(error) + "]";
    return error == ENOENT ? Status::NotFound(name, reason) : Status::IOError(name, reason);
}

int Files::systemError(const Status &status) {
    if (!status.IsIOError() && !status.IsNotFound()) return 0;
    const std::string text = status.ToString();
    const size_t begin = text.rfind('[');
    return begin == std::string::npos ? 0 : std::atoi(text.c_str() + begin + 1);
}

Status Files::NewSequentialFile(const std::string &name, leveldb::SequentialFile **result) {
    *result = nullptr;
    const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return failure(errno, name);
    *result = new SequentialFile(*this, name, descriptor);
    return Status::OK();
}

Status Files::NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **result) {
    *result = nullptr;
    const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        const Status status = failure(errno, name);
        // A table that has gone must not look like a key that is not there.
        return status.IsNotFound() ? Status::IOError(name, "the table has gone") : status;
    }
    *result = new RandomAccessFile(*this, name, descriptor);
    return Status::OK();
}

Status Files::NewWritableFile(const std::string &name, leveldb::WritableFile **result) {
    *result = nullptr;
    if (int error = fault(cleveldb_create, name)) return failure(error, name);
    const int descriptor = open(name.c_str(), O_TRUNC | O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly);
    if (descriptor < 0) return failure(errno, name);
    *result = new WritableFile(*this, name, descriptor, 0);
    return Status::OK();
}

Status Files::NewAppendableFile(const std::string &name, leveldb::WritableFile **result) {
    *result = nullptr;
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly);
    if (descriptor < 0) return failure(errno, name);
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        const int error = errno;
        close(descriptor);
        return failure(error, name);
    }
    *result = new WritableFile(*this, name, descriptor, static_cast<uint64_t>(status.st_size));
    return Status::OK();
}

Status Files::RemoveFile(const std::string &name) {
    // LevelDB lists the directory each time it has made files superfluous, so what stays is found again.
    if (hold_ != nullptr && hold_->holders.load() > 0) return Status::OK();
    return leveldb::EnvWrapper::RemoveFile(name);
}

void Files::Schedule(void (*function)(void *), void *argument) {
    struct Work {
        void (*function)(void *);
        void *argument;
    };
    leveldb::EnvWrapper::Schedule(
        [](void *given) {
            const std::unique_ptr<Work> work(static_cast<Work *>(given));
            // LevelDB has one thread for this. It may go on as it is where the system refuses.
            thread_local const int refused = setpriority(PRIO_PROCESS, 0, kCompactionNiceness);
            static_cast<void>(refused);
            work->function(work->argument);
        },
        new Work{function, argument});
}

Status Files::LockFile(const std::string &, leveldb::FileLock **lock) {
    *lock = new NoLock;
    return Status::OK();
}

Status Files::UnlockFile(leveldb::FileLock *lock) {
    delete lock;
    return Status::OK();
}

Status Files::NewLogger(const std::string &, leveldb::Logger **result) {
    *result = new NoLogger;
    return Status::OK();
}

}  // namespace stratus
