// libmicrohttpd 0.9 accepts more than HTTP/1.1 allows, such as lines that end with a bare LF, and shows its users neither
// the bytes it received nor how a chunk was delimited. So that the transport sees them, this file defines the two functions
// by which the library receives: a program's own functions come before those of its shared libraries when these are
// linked, provided that the program is linked with these libraries: the linker then makes its functions known to them.
// Sockets that are not watched are not affected. Version 1.0 has an option for strictness
// (MHD_OPTION_CLIENT_DISCIPLINE_LVL), which makes this unnecessary.
#define _GNU_SOURCE
#include "received_bytes.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <sys/socket.h>

const int received_bytes_sockets = 1 << 20;

struct watched_socket {
    received_bytes_check check;
    void *context;
    void *session;
};

// Each entry is touched by the thread that reads its socket only. The pages of entries that were never used take no memory.
static struct watched_socket *sockets;

bool received_bytes_prepare(void) {
    if (__atomic_load_n(&sockets, __ATOMIC_ACQUIRE) != NULL) return true;
    struct watched_socket *made = calloc((size_t)received_bytes_sockets, sizeof(struct watched_socket));
    struct watched_socket *none = NULL;
    if (made == NULL) return false;
    if (!__atomic_compare_exchange_n(&sockets, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) free(made);
    return true;
}

static struct watched_socket *watched(int socket) {
    struct watched_socket *all = __atomic_load_n(&sockets, __ATOMIC_ACQUIRE);
    if (all == NULL || socket < 0 || socket >= received_bytes_sockets) return NULL;
    return &all[socket];
}

void received_bytes_watch(int socket, void *session, received_bytes_check check, void *context) {
    struct watched_socket *entry = watched(socket);
    if (entry != NULL) *entry = (struct watched_socket){check, context, session};
}

void received_bytes_unwatch(int socket) {
    struct watched_socket *entry = watched(socket);
    if (entry != NULL) *entry = (struct watched_socket){NULL, NULL, NULL};
}

/// - Parameter later: how the function says that nothing has come yet.
static ssize_t allowed(const struct watched_socket *entry, const void *bytes, ssize_t count, ssize_t later) {
    if (count < 0) return count;
    ssize_t result = entry->check(entry->context, bytes, (size_t)count);
    if (result >= 0) return result;
    errno = EAGAIN;
    return later;
}

ssize_t recv(int socket, void *bytes, size_t count, int flags) {
    ssize_t received = recvfrom(socket, bytes, count, flags, NULL, NULL);
    const struct watched_socket *entry = watched(socket);
    // What belongs to a session is encrypted here.
    if (entry == NULL || entry->check == NULL || entry->session != NULL || (flags & MSG_PEEK) != 0) return received;
    return allowed(entry, bytes, received, -1);
}

ssize_t gnutls_record_recv(gnutls_session_t session, void *bytes, size_t count) {
    static ssize_t (*function)(gnutls_session_t, void *, size_t);
    if (__atomic_load_n(&function, __ATOMIC_RELAXED) == NULL) {
        void *next = dlsym(RTLD_NEXT, "gnutls_record_recv");
        if (next == NULL) return GNUTLS_E_INTERNAL_ERROR;
        __atomic_store_n(&function, (ssize_t(*)(gnutls_session_t, void *, size_t))next, __ATOMIC_RELAXED);
    }
    ssize_t received = __atomic_load_n(&function, __ATOMIC_RELAXED)(session, bytes, count);
    const struct watched_socket *entry = watched(gnutls_transport_get_int(session));
    if (entry == NULL || entry->check == NULL || entry->session != session) return received;
    return allowed(entry, bytes, received, GNUTLS_E_AGAIN);
}

void received_bytes_answer(int socket, const void *bytes, size_t count) {
    const struct watched_socket *entry = watched(socket);
    if (entry == NULL || entry->check == NULL) return;
    if (entry->session == NULL) {
        (void)send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
        (void)gnutls_record_send(entry->session, bytes, count);
    }
}
