#include "net.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "now.h"
#include "own_files.h"

static bool prepare(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	return flags != -1 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != -1 &&
	       fcntl(fd, F_SETFD, FD_CLOEXEC) != -1;
}

/* Commands are single frames and a snapshot is one write, so nothing is gained by delaying them. */
static void no_delay(int fd)
{
	int on = 1;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static int real_port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof address;
	if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
		return -1;
	if (address.ss_family == AF_INET)
		return ntohs(((struct sockaddr_in *)&address)->sin_port);
	return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
}

/* Connections waiting to be accepted. */
enum { BACKLOG = 128 };

static int listen_at(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
	if (fd == -1)
		return -1;
	int on = 1;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (prepare(fd) && bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

int net_listen_tcp(const char *host, int port, int *real_port, struct gcs_error *err)
{
	char service[8];
	struct addrinfo hints = {
	    .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	struct addrinfo *found;
	snprintf(service, sizeof service, "%d", port);
	int failed = getaddrinfo(host, service, &hints, &found);
	if (failed != 0) {
		gcs_fail(
		    err, GCS_UNREACHABLE, "cannot listen on %s: %s", host, gai_strerror(failed));
		return -1;
	}
	int fd = -1;
	for (const struct addrinfo *a = found; fd == -1 && a != NULL; a = a->ai_next)
		fd = listen_at(a);
	int error = errno;
	freeaddrinfo(found);
	if (fd == -1) {
		gcs_fail(err, GCS_IO, "cannot listen on %s:%d: %s%s", host, port, strerror(error),
		    error == EADDRINUSE ? "; port 0 takes any free one" : "");
		return -1;
	}
	*real_port = real_port_of(fd);
	return fd;
}

static bool unix_address(const char *path, struct sockaddr_un *address, struct gcs_error *err)
{
	_Static_assert(NET_PATH == sizeof address->sun_path - 1, "the system's limit");
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) > NET_PATH) {
		gcs_fail(err, GCS_ARGUMENT,
		    "socket path \"%.200s\" is too long: %zu bytes, the limit is %d", path,
		    strlen(path), NET_PATH);
		return false;
	}
	memcpy(address->sun_path, path, strlen(path) + 1);
	return true;
}

/* Removes a stale socket file. Returns NULL, or why the path cannot be used. */
static const char *remove_stale(const char *path, const struct sockaddr_un *address)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return NULL;
	if (!S_ISSOCK(st.st_mode))
		return "a file that is not a socket exists there";
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd == -1)
		return NULL;
	/* Does not block: with a full queue it fails with EAGAIN. */
	const bool prepared = prepare(fd);
	const int failed =
	    !prepared || connect(fd, (const struct sockaddr *)address, sizeof *address) == 0
		? 0
		: errno;
	close(fd);
	if (failed == EACCES)
		return "a socket of another user exists there";
	if (failed != ECONNREFUSED)
		return "another process listens there";
	return unlink(path) == 0 || errno == ENOENT ? NULL
						    : "a socket of another user exists there";
}

int net_listen_unix(const char *path, struct gcs_error *err)
{
	struct sockaddr_un address;
	if (!unix_address(path, &address, err))
		return -1;
	const char *why = remove_stale(path, &address);
	if (why != NULL) {
		gcs_fail(err, GCS_IO, "cannot listen on socket %s: %s", path, why);
		return -1;
	}
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd == -1 || !prepare(fd)) {
		gcs_fail(err, GCS_IO, "cannot make a socket: %s", strerror(errno));
		net_close(fd);
		return -1;
	}
	/* The mode is set before listen(), until which connections are refused. */
	if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || chmod(path, 0600) != 0 ||
	    listen(fd, BACKLOG) != 0) {
		gcs_fail(err, GCS_IO, "cannot listen on socket %s: %s", path, strerror(errno));
		net_close(fd);
		return -1;
	}
	return fd;
}

bool net_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
}

bool net_adopt(int fd)
{
	no_delay(fd);
	return prepare(fd);
}

int net_accept(int listener)
{
	int fd = accept(listener, NULL, NULL);
	if (fd == -1) {
		/* Other errors concern one connection only. */
		bool lasting =
		    errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
		return lasting ? -2 : -1;
	}
	if (!prepare(fd)) {
		close(fd);
		return -1;
	}
	no_delay(fd);
	return fd;
}

static bool loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >>
			   24 ==
		       127;
	return a->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

enum gcs_status net_check_loopback(const char *host, struct gcs_error *err)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	int failed = getaddrinfo(host, NULL, &hints, &found);
	if (failed != 0)
		return gcs_fail(err, GCS_UNREACHABLE, "cannot listen on %.200s: %s", host,
		    gai_strerror(failed));
	bool all = true;
	for (const struct addrinfo *a = found; a != NULL; a = a->ai_next)
		all = all && loopback(a->ai_addr);
	freeaddrinfo(found);
	if (all)
		return GCS_OK;
	return gcs_fail(err, GCS_ARGUMENT,
	    "listening on %.100s, which is not loopback, needs a token: it shows the heap to "
	    "anybody",
	    host);
}

static bool parse_port(const char *text, struct net_address *address)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);
	/* strtoul accepts signs and blanks. */
	if (*text < '0' || *text > '9' || *end != '\0' || port == 0 || port > 65535)
		return false;
	snprintf(address->port, sizeof address->port, "%lu", port);
	return true;
}

bool net_parse(const char *text, struct net_address *address, struct gcs_error *err)
{
	*address = (struct net_address){0};
	if (strncmp(text, "unix:", 5) == 0) {
		address->is_unix = true;
		if (text[5] != '\0' && strlen(text + 5) < sizeof address->host) {
			memcpy(address->host, text + 5, strlen(text + 5) + 1);
			return true;
		}
	} else {
		const char *colon = strrchr(text, ':');
		const char *port = colon == NULL ? text : colon + 1;
		size_t length = colon == NULL ? 0 : (size_t)(colon - text);
		if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
			text++;
			length -= 2;
		} else if (length != 0 && memchr(text, ':', length) != NULL) {
			length = sizeof address->host; /* an IPv6 address without its brackets */
		}
		if (length < sizeof address->host && parse_port(port, address)) {
			memcpy(address->host, length == 0 ? "127.0.0.1" : text,
			    length == 0 ? 10 : length);
			return true;
		}
	}
	gcs_fail(err, GCS_ARGUMENT,
	    "\"%.100s\" is not an address: HOST:PORT, [IPV6]:PORT, PORT (1 to 65535) or unix:PATH",
	    text);
	return false;
}

/* Waits for a connect in progress. Returns 0 or an errno. */
static int finish_connect(int fd, uint64_t deadline, int cancel)
{
	for (;;) {
		uint64_t now = now_ns();
		if (now >= deadline)
			return ETIMEDOUT;
		struct pollfd p[2] = {
		    {.fd = fd, .events = POLLOUT}, {.fd = cancel, .events = POLLIN}};
		int n = poll(p, 2, (int)((deadline - now) / 1000000 + 1));
		if (n > 0 && p[1].revents != 0)
			return ECANCELED;
		if (n > 0 && p[0].revents != 0)
			break;
		if (n < 0 && errno != EINTR)
			return errno;
	}
	int error = 0;
	socklen_t length = sizeof error;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	return error;
}

static int connect_to(
    const struct sockaddr *to, socklen_t length, uint64_t deadline, int cancel, int *error)
{
	int fd = socket(to->sa_family, SOCK_STREAM, 0);
	if (fd == -1 || !prepare(fd)) {
		*error = errno;
		net_close(fd);
		return -1;
	}
	*error = 0;
	if (connect(fd, to, length) != 0)
		*error = errno == EINPROGRESS ? finish_connect(fd, deadline, cancel) : errno;
	if (*error != 0) {
		close(fd);
		return -1;
	}
	if (to->sa_family != AF_UNIX)
		no_delay(fd);
	return fd;
}

static int connect_failed(const struct net_address *a, int error, struct gcs_error *err)
{
	const char *why = error == ETIMEDOUT ? "no answer in time" : strerror(error);
	if (a->is_unix)
		gcs_fail(err, GCS_UNREACHABLE, "cannot connect to %.200s: %s", a->host, why);
	else
		gcs_fail(
		    err, GCS_UNREACHABLE, "cannot connect to %.200s:%s: %s", a->host, a->port, why);
	errno = error;
	return -1;
}

int net_connect(
    const struct net_address *address, uint32_t timeout_ms, int cancel, struct gcs_error *err)
{
	uint64_t deadline = now_ns() + (uint64_t)timeout_ms * 1000000u;
	int error = 0;
	int fd = -1;
	if (address->is_unix) {
		struct sockaddr_un to;
		if (!unix_address(address->host, &to, err))
			return -1;
		fd = connect_to((struct sockaddr *)&to, sizeof to, deadline, cancel, &error);
		return fd != -1 ? fd : connect_failed(address, error, err);
	}
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	int failed = getaddrinfo(address->host, address->port, &hints, &found);
	if (failed != 0) {
		gcs_fail(err, GCS_UNREACHABLE, "cannot find host %.200s: %s", address->host,
		    gai_strerror(failed));
		return -1;
	}
	for (const struct addrinfo *a = found; fd == -1 && a != NULL; a = a->ai_next)
		fd = connect_to(a->ai_addr, a->ai_addrlen, deadline, cancel, &error);
	freeaddrinfo(found);
	return fd != -1 ? fd : connect_failed(address, error, err);
}

static bool later(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

long net_read(int fd, void *bytes, size_t length)
{
	ssize_t n = recv(fd, bytes, length, 0);
	if (n > 0)
		return (long)n;
	return n < 0 && later() ? 0 : -1;
}

long net_write(int fd, const void *bytes, size_t length)
{
	ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
	if (n >= 0)
		return (long)n;
	return later() ? 0 : -1;
}

void net_keep_alive(int fd, uint32_t limit_ms)
{
	/* Whole seconds of silence, then three probes; data must be acknowledged, too. */
	int on = 1, probes = 3;
	int idle = limit_ms < 3000 ? 1 : (int)(limit_ms / 1000);
	int between = idle / probes < 1 ? 1 : idle / probes;
	unsigned unacknowledged = 3000u * (unsigned)idle; /* applies to the probes, too */
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged, sizeof unacknowledged);
}

bool net_pipe(int ends[2])
{
	if (pipe(ends) != 0)
		return false;
	if (prepare(ends[0]) && prepare(ends[1]))
		return true;
	close(ends[0]);
	close(ends[1]);
	return false;
}

void net_wake(int write_end)
{
	/* A full pipe wakes the reader, too. */
	if (own_files_has(write_end))
		(void)!write(write_end, "", 1);
}

void net_drain(int read_end)
{
	char bytes[64];
	while (read(read_end, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
		continue;
}

void net_close(int fd)
{
	if (fd != -1)
		close(fd);
}
