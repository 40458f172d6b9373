/*
 * The kernel's tables of sockets and users: /proc/net/tcp and tcp6 (Linux,
 * Documentation/networking/proc_net_tcp.rst), /proc/self/uid_map (user_namespaces(7)). Pure
 * functions; net_user.c reads the files.
 */
#ifndef GCSPY_BASE_SOCKET_TABLE_H
#define GCSPY_BASE_SOCKET_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One end of a TCP connection. An IPv4 address is mapped into IPv6: ::ffff:a.b.c.d. */
struct socket_end {
	uint8_t address[16]; /* in network order */
	uint16_t port;       /* in host order */
};

/* Maps four bytes in network order. */
void socket_end_map(struct socket_end *end, const void *ipv4);

enum socket_owner {
	SOCKET_ABSENT, /* no such socket, or not reported */
	SOCKET_CLOSED, /* closed by its process; the kernel reports it as root's */
	SOCKET_OWNED
};

/* Finds the socket at `local` that is connected to `remote` in whole lines of either table; skips
 * other lines. `uid` is set for SOCKET_OWNED only. */
enum socket_owner socket_table_find(const char *text, size_t length, const struct socket_end *local,
    const struct socket_end *remote, uint32_t *uid);

/* True if a uid_map maps all users, so that none is shown as the overflow user. */
bool socket_table_maps_all(const char *text);

#endif
