#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// Decides what the library may have of the bytes that a watched socket has received; `count` is 0 at the end of the
/// stream. Returns how many of them, from the first on: 0 is the end of the stream for the library, and -1 that nothing has
/// come yet.
typedef ssize_t (*received_bytes_check)(void *context, const void *bytes, size_t count);

/// Sockets with this number or a higher one cannot be watched.
extern const int received_bytes_sockets;

/// Makes room for what is known of sockets. To be called before anything is watched, any number of times.
bool received_bytes_prepare(void);

/// Begins to show `check` what a socket receives, decrypted if it belongs to a session of GnuTLS. Like the other
/// functions, it is called on the thread that reads the socket.
void received_bytes_watch(int socket, void *session, received_bytes_check check, void *context);

/// Ends that. To be called before the socket is closed.
void received_bytes_unwatch(int socket);

/// Sends bytes past the library on a watched socket, encrypted if it has a session, as far as that needs no waiting.
void received_bytes_answer(int socket, const void *bytes, size_t count);
