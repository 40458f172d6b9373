#define _GNU_SOURCE /* struct ucred, POLLRDHUP. NOLINT(bugprone-reserved-identifier) */
/*
 * The user at the other end of a TCP connection on this machine, from the kernel: by a query for the
 * socket (sock_diag(7)) or, if that is not available, from its tables of all sockets
 * (socket_table.h).
 */
#include "net.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket_table.h"

static bool end_of(const struct sockaddr_storage *address, struct socket_end *end)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	if (address->ss_family == AF_INET)
		socket_end_map(end, &v4->sin_addr);
	else if (address->ss_family == AF_INET6)
		memcpy(end->address, &v6->sin6_addr, sizeof end->address);
	end->port = ntohs(address->ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
	return address->ss_family == AF_INET || address->ss_family == AF_INET6;
}

static bool is_mapped(const struct socket_end *end)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
	return memcmp(end->address, prefix, sizeof prefix) == 0;
}

/* IPv4 connections of both families of sockets are found by their four bytes. */
static void set_address(__be32 to[4], const struct socket_end *end)
{
	if (is_mapped(end))
		memcpy(to, end->address + 12, 4);
	else
		memcpy(to, end->address, sizeof end->address);
}

/* Queries one socket (sock_diag(7)); the kernel answers before send returns. */
static enum socket_owner ask_kernel(
    const struct socket_end *local, const struct socket_end *remote, uint32_t *uid)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} request = {
	    .head = {.nlmsg_len = sizeof request,
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags = NLM_F_REQUEST},
	    .body = {.sdiag_family = is_mapped(local) ? AF_INET : AF_INET6,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = UINT32_MAX,
		.id = {.idiag_sport = htons(local->port),
		    .idiag_dport = htons(remote->port),
		    .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
	};
	union {
		struct nlmsghdr head;
		char bytes[4096];
	} answer;
	set_address(request.body.id.idiag_src, local);
	set_address(request.body.id.idiag_dst, remote);
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd == -1)
		return SOCKET_ABSENT;
	ssize_t n = send(fd, &request, sizeof request, 0);
	if (n == (ssize_t)sizeof request)
		n = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
	close(fd);
	const struct inet_diag_msg *found = NLMSG_DATA(&answer.head);
	if (n < (ssize_t)NLMSG_LENGTH(sizeof *found) ||
	    answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return SOCKET_ABSENT;
	/* Without such a connection, the answer is about a listener at its address. */
	if (found->id.idiag_sport != htons(local->port) ||
	    found->id.idiag_dport != htons(remote->port))
		return SOCKET_ABSENT;
	*uid = found->idiag_uid;
	return found->idiag_inode == 0 ? SOCKET_CLOSED : SOCKET_OWNED;
}

/* Maximum bytes of the tables for one lookup; and how often the lookup is repeated, because rows move
 * while a table is read. */
enum { TABLE_BYTES = 8 << 20, TABLE_ROUNDS = 3 };

static enum socket_owner read_table(const char *path, size_t *budget,
    const struct socket_end *local, const struct socket_end *remote, uint32_t *uid)
{
	char text[16384];
	size_t kept = 0;
	enum socket_owner owner = SOCKET_ABSENT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd != -1 && owner == SOCKET_ABSENT && *budget >= sizeof text) {
		ssize_t n = read(fd, text + kept, sizeof text - kept);
		if (n <= 0)
			break;
		*budget -= (size_t)n;
		kept += (size_t)n;
		size_t whole = kept;
		while (whole != 0 && text[whole - 1] != '\n')
			whole--;
		owner = socket_table_find(text, whole, local, remote, uid);
		kept = whole == 0 ? 0 : kept - whole; /* not a line */
		memmove(text, text + whole, kept);
	}
	net_close(fd);
	return owner;
}

/* False if it is on another machine, so that the tables need not be read. */
static bool may_be_ours(const struct socket_end *theirs, const struct socket_end *ours)
{
	static const uint8_t loopback[16] = {[15] = 1};
	return (is_mapped(theirs) && theirs->address[12] == 127) ||
	       memcmp(theirs->address, loopback, sizeof loopback) == 0 ||
	       memcmp(theirs->address, ours->address, sizeof ours->address) == 0;
}

static enum socket_owner read_tables(
    const struct socket_end *local, const struct socket_end *remote, uint32_t *uid)
{
	size_t budget = TABLE_BYTES;
	enum socket_owner owner = SOCKET_ABSENT;
	for (int i = 0; i < TABLE_ROUNDS && owner == SOCKET_ABSENT && may_be_ours(local, remote);
	     i++) {
		owner = read_table("/proc/self/net/tcp", &budget, local, remote, uid);
		if (owner == SOCKET_ABSENT)
			owner = read_table("/proc/self/net/tcp6", &budget, local, remote, uid);
	}
	return owner;
}

static size_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd == -1 ? -1 : read(fd, text, size - 1);
	net_close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? 0 : (size_t)n;
}

/* True for the id of users without an id in our user namespace. */
static bool is_overflow(uint32_t uid)
{
	char text[4096];
	unsigned long overflow = 65534;
	if (read_text("/proc/sys/kernel/overflowuid", text, sizeof text) != 0)
		overflow = strtoul(text, NULL, 10);
	return uid == overflow && (read_text("/proc/self/uid_map", text, sizeof text) == 0 ||
				      !socket_table_maps_all(text));
}

void net_lookup_init(struct net_lookup *lookup, int listener)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof address;
	struct socket_end own, none = {.port = 0};
	uint32_t uid;
	/* A kernel without the module answers that there is no such socket, so query an existing
	 * one. */
	lookup->direct = false;
	if (getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
	    !end_of(&address, &own))
		return;
	if (is_mapped(&own))
		socket_end_map(&none, "\0\0\0\0");
	lookup->direct = ask_kernel(&own, &none, &uid) == SOCKET_OWNED;
}

bool net_peer_user(const struct net_lookup *lookup, int fd, uint32_t *uid)
{
	struct sockaddr_storage here, there;
	socklen_t here_length = sizeof here, there_length = sizeof there;
	struct socket_end ours, theirs;
	if (getsockname(fd, (struct sockaddr *)&here, &here_length) != 0 ||
	    getpeername(fd, (struct sockaddr *)&there, &there_length) != 0 ||
	    !end_of(&here, &ours) || !end_of(&there, &theirs))
		return false;
	/* For a short time a closed socket may be reported as root's, but only once: trust root at
	 * the second query. */
	for (int i = 0; i < 2; i++) {
		enum socket_owner owner = lookup->direct ? ask_kernel(&theirs, &ours, uid)
							 : read_tables(&theirs, &ours, uid);
		if (owner != SOCKET_OWNED)
			return false;
		if (*uid != 0)
			break;
	}
	return !is_overflow(*uid);
}

bool net_is_hung_up(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};
	return poll(&p, 1, 0) == 1;
}

long net_peer_pid(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? (long)peer.pid : -1;
}
