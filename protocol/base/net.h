/*
 * Sockets: net.c and net_user.c are the only files of the product that make socket calls. TCP over
 * IPv4 and IPv6, and Unix sockets.
 */
#ifndef GCSPY_BASE_NET_H
#define GCSPY_BASE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/status.h>

/*
 * Opens a non-blocking listening socket on `host` (a name or a numeric address) and `port` (0: a
 * free one). Returns the descriptor and the real port, or -1.
 */
int net_listen_tcp(const char *host, int port, int *real_port, struct gcs_error *err);

/*
 * The same on a Unix socket with mode 0600. A socket file that nobody listens on any more is
 * replaced; anything else at the path is left alone, and `err` says what it is.
 */
int net_listen_unix(const char *path, struct gcs_error *err);

/*
 * A waiting client's non-blocking descriptor; -1 when none waits; -2 when the system has no
 * descriptor or memory for it, so that it goes on waiting.
 */
int net_accept(int listener);

/*
 * How to ask the kernel whose a connection's other end is (net_user.c). Zeroed: by its tables of
 * all sockets, which takes milliseconds for each 1,000 connections and is given up after 8 MiB
 * (some 55,000).
 */
struct net_lookup {
	bool direct; /* it answers about single sockets, which takes microseconds */
};

/* Finds out by a listening TCP socket which way there is. */
void net_lookup_init(struct net_lookup *lookup, int listener);

/*
 * The user to whom the process at the other end of a TCP connection on this machine belongs; false
 * if that cannot be known: the other end is on another machine, in another network namespace,
 * closed by its process, or has a user who has no number in our user namespace.
 */
bool net_peer_user(const struct net_lookup *lookup, int fd, uint32_t *uid);

/* OK if `host` names only loopback addresses; else `err` says why one must not listen there without
 * a token, or that there is no such host. */
enum gcs_status net_check_loopback(const char *host, struct gcs_error *err);

/* Most bytes of a Unix socket's path, a limit of the system. */
enum { NET_PATH = 107 };

/* Why an address text is no good is said in `err`. */
struct net_address {
	bool is_unix;
	char host[256]; /* or the path */
	char port[8];
};

bool net_parse(const char *text, struct net_address *address, struct gcs_error *err);

/*
 * Connects within `timeout_ms`; non-blocking descriptor or -1, with errno if it was the connection
 * that failed. `cancel`, a descriptor, ends the wait when it becomes readable.
 */
int net_connect(
    const struct net_address *address, uint32_t timeout_ms, int cancel, struct gcs_error *err);

/* Bytes moved; 0: not now; -1: the connection is over. */
long net_read(int fd, void *bytes, size_t length);
long net_write(int fd, const void *bytes, size_t length);

/*
 * Lets the system look after a peer that says nothing by itself: a TCP connection whose other end
 * does not answer to the system's questions for about three times `limit_ms` is over. Whoever is
 * stopped or thinks still answers.
 */
void net_keep_alive(int fd, uint32_t limit_ms);

/* A pipe whose two ends do not block, to wake a thread from poll. Close-on-exec, like all
 * descriptors made here. */
bool net_pipe(int ends[2]);
void net_wake(int write_end);
void net_drain(int read_end);
void net_close(int fd);

#endif
