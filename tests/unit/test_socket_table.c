/* What the kernel's tables of sockets say, as text. */
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"
#include "socket_table.h"

#define HEADING                                                                                    \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "      \
	"timeout inode\n"

static struct socket_end end_at(const char *address, uint16_t port)
{
	struct socket_end end = {.port = port};
	uint8_t v4[4];
	if (inet_pton(AF_INET, address, v4) == 1)
		socket_end_map(&end, v4);
	else
		cr_assert_eq(inet_pton(AF_INET6, address, end.address), 1, "%s", address);
	return end;
}

static enum socket_owner find(const char *text, const char *local, uint16_t local_port,
    const char *remote, uint16_t remote_port, uint32_t *uid)
{
	struct socket_end here = end_at(local, local_port), there = end_at(remote, remote_port);
	*uid = 4711;
	/* On the heap, so that reading after its end is seen. */
	size_t length = strlen(text);
	char *copy = malloc(length + 1);
	memcpy(copy, text, length);
	enum socket_owner owner = socket_table_find(copy, length, &here, &there, uid);
	free(copy);
	return owner;
}

/* As the kernel writes them on a little-endian machine; the tests of net.c read a real table. */
static const char v4[] = HEADING
    "   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
    "172482 1 ffff8881 100 0 0 10 0\n"
    "   1: 0100007F:EBA2 0100007F:0BB8 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "172483 1 ffff8881 20 4 30 10 -1\n"
    "   2: 0100007F:EBA3 0100007F:0BB8 01 00000000:00000000 00:00000000 00000000     0        0 "
    "172484 1 ffff8881 20 4 30 10 -1\n"
    /* Closed by its process, waiting for the other end: without owner and number. */
    "   3: 0100007F:EBA4 0100007F:0BB8 05 00000000:00000000 03:0000176E 00000000     0        0 "
    "0 2 ffff8881\n"
    /* TIME_WAIT. */
    "   4: 0100007F:EBA5 0100007F:0BB8 06 00000000:00000000 03:0000176E 00000000     0        0 "
    "0 3 ffff8881\n"
    "   5: 0100007F:0BB8 0100007F:EBA6 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "172485 1 ffff8881 20 4 30 10 -1\n"
    "   6: 0100007F:EBA6 0100007F:0BB8 08 00000000:00000000 00:00000000 00000000 65534        0 "
    "4294967295 1 ffff8881 20 4 30 10 -1\n";

static bool little_endian(void)
{
	const uint16_t one = 1;
	return *(const uint8_t *)&one == 1;
}

Test(socket_table, rows_are_found_by_both_ends)
{
	uint32_t uid;
	if (!little_endian())
		return;
	cr_assert_eq(find(v4, "127.0.0.1", 0xEBA2, "127.0.0.1", 3000, &uid), SOCKET_OWNED);
	cr_assert_eq(uid, 1000);
	cr_assert_eq(find(v4, "127.0.0.1", 0xEBA3, "127.0.0.1", 3000, &uid), SOCKET_OWNED);
	cr_assert_eq(uid, 0);
	cr_assert_eq(find(v4, "127.0.0.1", 0xEBA6, "127.0.0.1", 3000, &uid), SOCKET_OWNED);
	cr_assert_eq(
	    uid, 65534, "not the server's own end, which has the ends the other way round");
	uid = 4711;
	cr_assert_eq(find(v4, "127.0.0.1", 0xEBA7, "127.0.0.1", 3000, &uid), SOCKET_ABSENT);
	cr_assert_eq(find(v4, "127.0.0.2", 0xEBA2, "127.0.0.1", 3000, &uid), SOCKET_ABSENT);
	cr_assert_eq(find(v4, "127.0.0.1", 0xEBA2, "127.0.0.1", 3001, &uid), SOCKET_ABSENT);
	cr_assert_eq(find("", "127.0.0.1", 0xEBA2, "127.0.0.1", 3000, &uid), SOCKET_ABSENT);
	cr_assert_eq(uid, 4711);
}

/* The kernel writes user 0 for them, whatever their owner. */
Test(socket_table, closed_sockets_are_not_roots)
{
	uint32_t uid;
	if (!little_endian())
		return;
	cr_assert_eq(find(v4, "127.0.0.1", 0xEBA4, "127.0.0.1", 3000, &uid), SOCKET_CLOSED);
	cr_assert_eq(find(v4, "127.0.0.1", 0xEBA5, "127.0.0.1", 3000, &uid), SOCKET_CLOSED);
	cr_assert_eq(uid, 4711);
}

Test(socket_table, ipv6_and_mapped_addresses)
{
	static const char v6[] = HEADING
	    "   0: 00000000000000000000000001000000:0BB8 00000000000000000000000001000000:D431 01 "
	    "00000000:00000000 00:00000000 00000000   501        0 9 1 ffff 20 4 30 10 -1\n"
	    "   1: 0000000000000000FFFF00000100007F:D432 0000000000000000FFFF00000100007F:0BB8 01 "
	    "00000000:00000000 00:00000000 00000000   502        0 10 1 ffff 20 4 30 10 -1\n"
	    "   2: B80D0120000000000000000001000000:D433 B80D0120000000000000000002000000:0BB8 01 "
	    "00000000:00000000 00:00000000 00000000   503        0 11 1 ffff 20 4 30 10 -1\n";
	uint32_t uid;
	if (!little_endian())
		return;
	cr_assert_eq(find(v6, "::1", 3000, "::1", 0xD431, &uid), SOCKET_OWNED);
	cr_assert_eq(uid, 501);
	cr_assert_eq(find(v6, "127.0.0.1", 0xD432, "127.0.0.1", 3000, &uid), SOCKET_OWNED);
	cr_assert_eq(uid, 502, "an IPv4 connection of an IPv6 socket");
	cr_assert_eq(find(v6, "2001:db8::1", 0xD433, "2001:db8::2", 3000, &uid), SOCKET_OWNED);
	cr_assert_eq(uid, 503);
	cr_assert_eq(find(v6, "0.0.0.1", 3000, "0.0.0.1", 0xD431, &uid), SOCKET_ABSENT,
	    "::1 is not the mapped 0.0.0.1");
}

Test(socket_table, damaged_lines_are_passed_over)
{
	static const char *const bad[] = {"", "\n", " \n", "x\n", "0100007F:EBA2\n",
	    "1: 0100007F:EBA2 0100007F:0BB8 01 0:0 0:0 0 1000 0\n",         /* ends early */
	    "1: 0100007F:EBA2 0100007F:0BB8 01 0:0 0:0 0 -1 0 5\n",         /* user */
	    "1: 0100007F:EBA2 0100007F:0BB8 01 0:0 0:0 0 4294967296 0 5\n", /* above 32 bits */
	    "1: 0100007F:EBA2 0100007F:0BB8 01 0:0 0:0 0 1x 0 5\n",         /* no number */
	    "1: 0100007F:EBA2 0100007F:0BB8 01 0:0 0:0 0 1 0 99999999999999999999999\n",
	    "1: 0100007G:EBA2 0100007F:0BB8 01 0:0 0:0 0 1 0 5\n",  /* digit */
	    "1: 0100007FEBA2 0100007F:0BB8 01 0:0 0:0 0 1 0 5\n",   /* no colon */
	    "1: 0100007F:EBA2 0100007F:0BB8F 01 0:0 0:0 0 1 0 5\n", /* too long */
	    "1: 0100007F:EBA 0100007F:0BB8 01 0:0 0:0 0 1 0 5\n",   /* too short */
	    "1: 0000000000000000FFFF0000010000:EBA2 0100007F:0BB8 01 0 0 0 1 0 5\n"};
	static const char good[] = "9: 0100007F:EBA2 0100007F:0BB8 01 0:0 0:0 0 77 0 5";
	char text[400];
	uint32_t uid;
	if (!little_endian())
		return;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_eq(find(bad[i], "127.0.0.1", 0xEBA2, "127.0.0.1", 3000, &uid),
		    SOCKET_ABSENT, "%s", bad[i]);
		snprintf(text, sizeof text, "%s%s", bad[i], good);
		cr_assert_eq(find(text, "127.0.0.1", 0xEBA2, "127.0.0.1", 3000, &uid), SOCKET_OWNED,
		    "%s", text);
		cr_assert_eq(uid, 77);
	}
}

/* Whatever stands there, the answer is one of three and nothing after the end is read. */
Test(socket_table, any_bytes_can_be_read)
{
	uint64_t state = kit_seed();
	uint32_t uid;
	for (unsigned i = 0; i < 2000; i++) {
		char text[sizeof v4];
		memcpy(text, v4, sizeof text);
		for (unsigned k = 0; k < 20; k++)
			text[kit_below(&state, sizeof text - 1)] =
			    (char)(1 + kit_below(&state, 255));
		enum socket_owner owner = find(text, "127.0.0.1", 0xEBA2, "127.0.0.1", 3000, &uid);
		cr_assert(owner == SOCKET_OWNED || uid == 4711);
	}
}

/* user_namespaces(7): where all are mapped, the overflow user is a user like any other. */
Test(socket_table, user_maps)
{
	cr_assert(socket_table_maps_all("         0          0 4294967295\n"));
	cr_assert(socket_table_maps_all("0 1000 1\n1 0 4294967294\n"));
	cr_assert_not(socket_table_maps_all(""));
	cr_assert_not(socket_table_maps_all("         0       1000          1\n"));
	cr_assert_not(socket_table_maps_all("0 1000 1\n1 100000 65536\n"));
	cr_assert_not(socket_table_maps_all("0 0 99999999999\n0 0\nx y z\n\n"));
}
