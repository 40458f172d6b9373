/*
 * What the kernel's tables say about sockets and users: /proc/net/tcp and tcp6 (Linux,
 * Documentation/networking/proc_net_tcp.rst), /proc/self/uid_map (user_namespaces(7)). Pure
 * functions over text; net.c reads the files.
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
bool socket_end_same(const struct socket_end *a, const struct socket_end *b);

enum socket_owner {
	SOCKET_ABSENT, /* there is no such socket, or the kernel does not tell */
	SOCKET_CLOSED, /* its process has closed it: the kernel calls it root's, whoever had it */
	SOCKET_OWNED
};

/*
 * Looks for the socket that is at `local` and connected to `remote` in whole lines of either table,
 * of which the heading and damaged ones are passed over. `uid` is set for SOCKET_OWNED only.
 */
enum socket_owner socket_table_find(const char *text, size_t length, const struct socket_end *local,
    const struct socket_end *remote, uint32_t *uid);

/* True if the text of a uid_map maps all users, so that none reads as the overflow user. */
bool socket_table_maps_all(const char *text);

#endif
