#pragma once
#define FUSE_USE_VERSION 312
#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

// Macros, bit fields and versioned names of libfuse, which Swift does not import.

enum {
    stratus_fuse_set_mode = FUSE_SET_ATTR_MODE,
    stratus_fuse_set_uid = FUSE_SET_ATTR_UID,
    stratus_fuse_set_gid = FUSE_SET_ATTR_GID,
    stratus_fuse_set_size = FUSE_SET_ATTR_SIZE,
    stratus_fuse_set_mtime = FUSE_SET_ATTR_MTIME,
    stratus_fuse_set_mtime_now = FUSE_SET_ATTR_MTIME_NOW,
};

static inline struct fuse_session *stratus_fuse_session(
    const char *options, const struct fuse_lowlevel_ops *operations, void *context) {
    char *words[] = {(char *)"stratus", (char *)"-o", (char *)options, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    struct fuse_session *session = fuse_session_new(&arguments, operations, sizeof *operations, context);
    fuse_opt_free_args(&arguments);
    return session;
}

/// Answers requests on threads of libfuse until the file system is unmounted.
static inline int stratus_fuse_loop(struct fuse_session *session) {
    struct fuse_loop_config *configuration = fuse_loop_cfg_create();
    if (!configuration) return -ENOMEM;
    fuse_loop_cfg_set_max_threads(configuration, 8);
    int result = fuse_session_loop_mt(session, configuration);
    fuse_loop_cfg_destroy(configuration);
    return result;
}

/// copy_file_range from and to the positions of the descriptors, which Swift's view of glibc leaves out.
static inline ssize_t stratus_copy_bytes(int source, int target, size_t count) {
    ssize_t copied = syscall(SYS_copy_file_range, source, NULL, target, NULL, count, 0);
    // The kernel copies between two file systems only this way.
    return copied < 0 && errno == EXDEV ? sendfile(target, source, NULL, count) : copied;
}

/// Has the kernel say at open(2) that a file is truncated, rather than afterwards.
static inline int stratus_fuse_truncates_at_open(struct fuse_conn_info *connection) {
    if (!(connection->capable & FUSE_CAP_ATOMIC_O_TRUNC)) return 0;
    connection->want |= FUSE_CAP_ATOMIC_O_TRUNC;
    return 1;
}
