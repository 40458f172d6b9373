/* Sockets: TCP over IPv4 and IPv6, and Unix sockets. Only net.c and net_user.c make socket calls. */
#ifndef GCSPY_BASE_NET_H
#define GCSPY_BASE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/status.h>

/* Opens a non-blocking listening socket on `host` (a name or numeric address) and `port` (0: any free
 * one). Returns the descriptor, with the port in `real_port`, or -1. */
int net_listen_tcp(const char *host, int port, int *real_port, struct gcs_error *err);

/* The same on a Unix socket with mode 0600. Replaces a stale socket file; anything else at the path is
 * an error. */
int net_listen_unix(const char *path, struct gcs_error *err);

/* Accepts a connection: a non-blocking descriptor; -1 if there is none; -2 if the system is out of
 * descriptors or memory, and the connection stays in the queue. */
int net_accept(int listener);

/* Makes the descriptor of a foreign library's connection as net_accept's are: non-blocking, without delay. */
bool net_adopt(int fd);

/*
 * How to find the user at the other end of a connection (net_user.c). Zeroed: in the kernel's tables
 * of all sockets, which takes milliseconds per 1,000 connections; stops after 8 MiB (some 55,000).
 */
struct net_lookup {
	bool direct; /* by a query for one socket, which takes microseconds */
};

/* Tests with a listening TCP socket whether direct lookup works. */
void net_lookup_init(struct net_lookup *lookup, int listener);

/*
 * The user of the process at the other end of a TCP connection on this machine. False if unknown: the
 * other end is on another machine or in another network namespace, has been closed, or belongs to a
 * user without an id in our user namespace.
 */
bool net_peer_user(const struct net_lookup *lookup, int fd, uint32_t *uid);

/* OK if `host` has only loopback addresses; otherwise an error, because listening there needs a
 * token, or because the host is unknown. */
enum gcs_status net_check_loopback(const char *host, struct gcs_error *err);

/* Longest path of a Unix socket, a limit of the system. */
enum { NET_PATH = 107 };

/* A parsed address. */
struct net_address {
	bool is_unix;
	char host[256]; /* or the path */
	char port[8];
};

bool net_parse(const char *text, struct net_address *address, struct gcs_error *err);

/* Connects within `timeout_ms`. Returns a non-blocking descriptor, or -1 with errno if the connection
 * failed. Readable data on the descriptor `cancel` ends the wait. */
int net_connect(
    const struct net_address *address, uint32_t timeout_ms, int cancel, struct gcs_error *err);

/* Return the number of bytes; 0 if it would block; -1 if the connection is closed. */
long net_read(int fd, void *bytes, size_t length);
long net_write(int fd, const void *bytes, size_t length);

/* Turns on TCP keep-alive: a connection whose other host does not respond for about three times
 * `limit_ms` is closed. A stopped process still responds. */
void net_keep_alive(int fd, uint32_t limit_ms);

/* Two sockets that are connected, both blocking. */
bool net_pair(int ends[2]);

/* A non-blocking pipe, to wake a thread from poll. Close-on-exec, like all descriptors made here. */
bool net_pipe(int ends[2]);
void net_wake(int write_end);
void net_drain(int read_end);
void net_close(int fd);

/* True once the other end of a TCP connection sends nothing more: it has closed it, or has ended. */
bool net_is_hung_up(int fd);

/* The process that listens at the other end of a Unix socket, 0: one that this process cannot see; -1: not
 * known. */
long net_peer_pid(int fd);

#endif
