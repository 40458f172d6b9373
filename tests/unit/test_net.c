/* Addresses and sockets (Q1). */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit.h"
#include "net.h"
#include "now.h"

Test(net, addresses_are_understood)
{
	static const struct {
		const char *text, *host, *port;
		bool is_unix;
	} table[] = {
	    {"3000", "127.0.0.1", "3000", false},
	    {":3000", "127.0.0.1", "3000", false},
	    {"1", "127.0.0.1", "1", false},
	    {"localhost:65535", "localhost", "65535", false},
	    {"10.0.0.1:80", "10.0.0.1", "80", false},
	    {"[::1]:80", "::1", "80", false},
	    {"[fe80::1%eth0]:80", "fe80::1%eth0", "80", false},
	    {"host.example:0080", "host.example", "80", false},
	    {"unix:/tmp/a:b", "/tmp/a:b", "", true},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct net_address a;
		struct gcs_error err;
		cr_assert(net_parse(table[i].text, &a, &err), "%s", table[i].text);
		cr_assert_str_eq(a.host, table[i].host);
		cr_assert_str_eq(a.port, table[i].port);
		cr_assert_eq(a.is_unix, table[i].is_unix);
	}
}

Test(net, bad_addresses_are_refused_with_their_text)
{
	static const char *const table[] = {"", ":", "host", "host:", "host:0", "host:65536",
	    "host:-1", "host:+1", "host: 1", "host:\t1", "host:1x", "::1:80", "[::1]", "[::1]80",
	    "unix:", "host:99999999999999999999999"};
	char longer[600];
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct net_address a;
		struct gcs_error err = {0};
		cr_assert_not(net_parse(table[i], &a, &err), "%s", table[i]);
		cr_assert_eq(err.status, GCS_ARGUMENT);
		char shown[64];
		snprintf(shown, sizeof shown, "%s", table[i]);
		for (char *c = shown; *c != '\0'; c++)
			if (*c == '\t') /* an error is one line without control characters */
				*c = '?';
		cr_assert_not_null(strstr(err.text, shown));
		cr_assert_not(net_parse(table[i], &a, NULL));
	}
	for (unsigned extra = 0; extra < 3; extra++) { /* 255 bytes of a name, 256, 257 */
		struct net_address a;
		memset(longer, 'h', sizeof longer);
		snprintf(longer + 255 + extra, 10, ":80");
		cr_assert_eq(net_parse(longer, &a, NULL), extra == 0);
		memcpy(longer, "unix:", 5);
		memset(longer + 5, 'p', 255 + extra);
		longer[260 + extra] = '\0';
		cr_assert_eq(net_parse(longer, &a, NULL), extra == 0);
	}
}

Test(net, loopback_is_known)
{
	cr_assert_eq(net_check_loopback("127.0.0.1", NULL), GCS_OK);
	cr_assert_eq(net_check_loopback("127.255.0.3", NULL), GCS_OK);
	cr_assert_eq(net_check_loopback("::1", NULL), GCS_OK);
	cr_assert_eq(net_check_loopback("0.0.0.0", NULL), GCS_ARGUMENT);
	cr_assert_eq(net_check_loopback("::", NULL), GCS_ARGUMENT);
	cr_assert_eq(net_check_loopback("128.0.0.1", NULL), GCS_ARGUMENT);
	cr_assert_eq(net_check_loopback("no such host at all", NULL), GCS_UNREACHABLE);
}

static int connect_to(const char *text, struct gcs_error *err)
{
	struct net_address a;
	cr_assert(net_parse(text, &a, err));
	return net_connect(&a, 2000, -1, err);
}

static int accept_soon(int listener)
{
	int fd = -1;
	kit_until((fd = net_accept(listener)) != -1);
	return fd;
}

static void talk(int a, int b)
{
	char bytes[8];
	long n = 0;
	cr_assert_eq(net_read(b, bytes, sizeof bytes), 0, "nothing yet");
	cr_assert_eq(net_write(a, "hello", 5), 5);
	kit_until((n = net_read(b, bytes, sizeof bytes)) != 0);
	cr_assert_eq(n, 5);
	net_close(a);
	kit_until((n = net_read(b, bytes, sizeof bytes)) != 0);
	cr_assert_eq(n, -1);
	for (unsigned i = 0; n != -1 || i == 0; i++) /* a broken pipe is an error, not a signal */
		n = net_write(b, "x", 1);
	net_close(b);
}

Test(net, tcp_carries_bytes)
{
	struct gcs_error err;
	char address[40];
	int port = 0;
	int listener = net_listen_tcp("127.0.0.1", 0, &port, &err);
	cr_assert_neq(listener, -1, "%s", err.text);
	cr_assert_gt(port, 0);
	cr_assert_eq(net_accept(listener), -1, "nobody waits");
	snprintf(address, sizeof address, "localhost:%d", port);
	int client = connect_to(address, &err);
	cr_assert_neq(client, -1, "%s", err.text);
	int server = accept_soon(listener);
	cr_assert(fcntl(server, F_GETFD) & FD_CLOEXEC);
	cr_assert(fcntl(client, F_GETFD) & FD_CLOEXEC);
	talk(client, server);
	int second = 0;
	cr_assert_eq(net_listen_tcp("127.0.0.1", port, &second, &err), -1);
	cr_assert_eq(err.status, GCS_IO);
	net_close(listener);
	cr_assert_eq(connect_to(address, &err), -1);
	cr_assert_eq(errno, ECONNREFUSED);
	cr_assert_eq(err.status, GCS_UNREACHABLE);
	cr_assert_not_null(strstr(err.text, "localhost"));
}

Test(net, unknown_hosts_are_named)
{
	struct gcs_error err;
	int port = 0;
	cr_assert_eq(connect_to("no.such.host.invalid:80", &err), -1);
	cr_assert_eq(err.status, GCS_UNREACHABLE);
	cr_assert_not_null(strstr(err.text, "no.such.host.invalid"));
	cr_assert_eq(net_listen_tcp("no.such.host.invalid", 0, &port, &err), -1);
	cr_assert_eq(err.status, GCS_UNREACHABLE);
}

static char folder[] = "/tmp/gcspy-net-XXXXXX";
static char path[64], unix_path[80];

static void make_folder(void)
{
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/socket", folder);
	snprintf(unix_path, sizeof unix_path, "unix:%s", path);
}

static void remove_folder(void)
{
	unlink(path);
	cr_assert_eq(rmdir(folder), 0);
}

/* Q1: only the owner may connect; a stale socket file is replaced, anything else is left alone. */
Test(net, unix_sockets_are_private, .init = make_folder, .fini = remove_folder)
{
	struct gcs_error err;
	struct stat st;
	umask(0);
	int listener = net_listen_unix(path, &err);
	cr_assert_neq(listener, -1, "%s", err.text);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert(S_ISSOCK(st.st_mode));
	cr_assert_eq(st.st_mode & 0777, 0600);
	int client = connect_to(unix_path, &err);
	talk(client, accept_soon(listener));
	cr_assert_eq(net_listen_unix(path, &err), -1, "somebody listens there");
	cr_assert_eq(err.status, GCS_IO);
	cr_assert_not_null(strstr(err.text, "another process listens there"), "%s", err.text);
	net_close(listener);
	cr_assert_eq(connect_to(unix_path, &err), -1);
	listener = net_listen_unix(path, &err);
	cr_assert_neq(listener, -1, "a stale file is in the way: %s", err.text);
	net_close(listener);
}

/* As a JVM that was killed leaves it; the number of its process may be another user's later. */
Test(net, a_socket_of_another_user_is_no_listener, .init = make_folder, .fini = remove_folder)
{
	enum { NOBODY = 65534 };
	struct gcs_error err;
	if (geteuid() != 0)
		cr_skip_test("only root can be another user");
	const int listener = net_listen_unix(path, &err);
	cr_assert_neq(listener, -1, "%s", err.text);
	net_close(listener);
	cr_assert_eq(chmod(folder, 0777), 0);
	cr_assert_eq(seteuid(NOBODY), 0);
	cr_assert_eq(net_listen_unix(path, &err), -1);
	cr_assert_not_null(strstr(err.text, "a socket of another user exists"), "%s", err.text);
	cr_assert_eq(seteuid(0), 0);
}

Test(net, a_file_in_the_way_is_left_alone, .init = make_folder, .fini = remove_folder)
{
	struct gcs_error err;
	struct stat st;
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs("precious", file);
	fclose(file);
	cr_assert_eq(net_listen_unix(path, &err), -1);
	cr_assert_eq(err.status, GCS_IO);
	cr_assert_not_null(strstr(err.text, path));
	cr_assert_not_null(strstr(err.text, "a file that is not a socket"), "%s", err.text);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_size, 8);
}

/* One that listens and takes nobody in must not make us wait. */
Test(net, a_full_queue_is_somebody_who_listens, .init = make_folder, .fini = remove_folder,
    .timeout = 20)
{
	struct gcs_error err;
	int waiting[600];
	size_t count = 0;
	int listener = net_listen_unix(path, &err);
	cr_assert_neq(listener, -1, "%s", err.text);
	while (count < 600 && (waiting[count] = connect_to(unix_path, &err)) != -1)
		count++;
	cr_assert_lt(count, 600, "the queue is full");
	cr_assert_eq(net_listen_unix(path, &err), -1);
	cr_assert_not_null(strstr(err.text, "another process listens there"), "%s", err.text);
	while (count-- != 0)
		net_close(waiting[count]);
	net_close(listener);
}

Test(net, a_long_path_is_refused)
{
	struct gcs_error err;
	char longer[200];
	memset(longer, 'p', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	cr_assert_eq(net_listen_unix(longer, &err), -1);
	cr_assert_eq(err.status, GCS_ARGUMENT);
	memcpy(longer, "unix:", 5);
	cr_assert_eq(connect_to(longer, &err), -1);
	cr_assert_eq(err.status, GCS_ARGUMENT);
}

Test(net, waking_never_blocks)
{
	int ends[2];
	char byte;
	cr_assert(net_pipe(ends));
	for (unsigned i = 0; i < 200000; i++) /* more than a pipe holds */
		net_wake(ends[1]);
	net_drain(ends[0]);
	cr_assert_eq(read(ends[0], &byte, 1), -1, "it is empty");
	net_close(ends[0]);
	net_close(ends[1]);
	net_close(-1);
}

Test(net, connecting_can_be_cancelled)
{
	/* An address of TEST-NET-1 (RFC 5737) never answers; where there is no route it fails at
	 * once, which is fine as well. */
	struct net_address a;
	struct gcs_error err;
	int ends[2];
	cr_assert(net_parse("192.0.2.1:80", &a, &err));
	cr_assert(net_pipe(ends));
	net_wake(ends[1]);
	uint64_t begin = now_ns();
	cr_assert_eq(net_connect(&a, 5000, ends[0], &err), -1);
	cr_assert_lt(now_ns() - begin, UINT64_C(2000000000));
	net_close(ends[0]);
	net_close(ends[1]);
}
