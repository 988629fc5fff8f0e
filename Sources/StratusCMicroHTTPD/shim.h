#pragma once
#include <microhttpd.h>
#include <netdb.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/// What one daemon is started with: the callbacks, their context, and the limits. Swift cannot call variadic functions.
struct transport_daemon_options {
    MHD_AccessHandlerCallback receive;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection_changed;
    size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
    void *context;
    size_t connection_memory;
    unsigned int connection_limit;
    unsigned int inactivity_seconds;
    /// PEM text, or null for plain HTTP.
    const char *certificate, *key;
    const char *tls_priorities;
};

/// A daemon with one epoll thread and no listening socket: connections are handed to it with MHD_add_connection.
static inline struct MHD_Daemon *transport_start_daemon(const struct transport_daemon_options *options) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)options->tls_priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    if (options->certificate != NULL) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, options->receive, options->context,
        MHD_OPTION_URI_LOG_CALLBACK, options->target, options->context,
        MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->connection_changed, options->context,
        MHD_OPTION_UNESCAPE_CALLBACK, options->unescape, options->context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, options->inactivity_seconds,
        MHD_OPTION_ARRAY, options->certificate != NULL ? tls : plain,
        MHD_OPTION_END);
}

/// How many bytes from the first on names of methods and fields may consist of (RFC 9110, 5.6.2).
static inline size_t transport_token_length(const unsigned char *bytes, size_t count) {
    // A bit for each byte: the digits and !#$%&'*+-. below 64, the letters and ^_`|~ from there on.
    static const unsigned long long allowed[4] = {0x03FF6CFA00000000, 0x57FFFFFFC7FFFFFE, 0, 0};
    size_t length = 0;
    while (length < count && (allowed[bytes[length] >> 6] >> (bytes[length] & 63) & 1) != 0) length += 1;
    return length;
}

/// How many bytes from the first on the value of a field may consist of: no controls but tabs.
static inline size_t transport_value_length(const unsigned char *bytes, size_t count) {
    size_t length = 0;
    while (length < count && ((bytes[length] >= 0x20 && bytes[length] != 0x7F) || bytes[length] == 0x09)) length += 1;
    return length;
}

/// The connection's socket, or -1.
static inline int transport_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : (int)info->connect_fd;
}

/// The session of GnuTLS, or null on a plain connection.
static inline void *transport_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL ? NULL : info->tls_session;
}

/// The bytes from the method to the end of the empty line, or 0 when they are not complete.
static inline size_t transport_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// A response that holds its own copy of the bytes.
static inline struct MHD_Response *transport_copied_response(size_t count, const void *bytes) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// A response read through a callback; `length` -1 means unknown.
static inline struct MHD_Response *transport_read_response(
    int64_t length, size_t block, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release) {
    return MHD_create_response_from_callback(
        length < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)length, block, read, context, release);
}

static const ssize_t transport_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t transport_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

/// What the connection callback has stored for the connection.
static inline void *transport_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}
