/* Addresses as people type them, and the kernel's tables of sockets and users. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "net.h"
#include "socket_table.h"

/* A copy of exactly that size, so that the sanitizer sees what is read after it. */
static char *copy(const uint8_t *data, size_t size, size_t more)
{
	char *bytes = malloc(size + more + (size + more == 0));
	fuzz_expect(bytes != NULL);
	if (size != 0)
		memcpy(bytes, data, size);
	memset(bytes + size, 0, more);
	return bytes;
}

static void read_tables(const uint8_t *data, size_t size)
{
	enum { NOBODY_YET = 4711 };
	struct socket_end here = {.port = 0xEBA2}, there = {.port = 3000};
	uint32_t uid = NOBODY_YET;
	char *bytes = copy(data, size, 0), *text = copy(data, size, 1);
	socket_end_map(&here, "\177\0\0\1");
	socket_end_map(&there, "\177\0\0\1");
	if (socket_table_find(bytes, size, &here, &there, &uid) != SOCKET_OWNED)
		fuzz_expect(uid == NOBODY_YET);
	(void)socket_table_maps_all(text);
	free(bytes);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_tables(data, size);
	char text[700];
	struct net_address address;
	struct gcs_error err = {.status = GCS_OK};
	if (size >= sizeof text)
		size = sizeof text - 1;
	if (size != 0)
		memcpy(text, data, size);
	text[size] = '\0';
	if (net_parse(text, &address, &err)) {
		fuzz_expect(memchr(address.host, '\0', sizeof address.host) != NULL);
		fuzz_expect(address.host[0] != '\0');
		fuzz_expect(address.is_unix == (address.port[0] == '\0'));
	} else {
		fuzz_expect(err.status == GCS_ARGUMENT && err.text[0] != '\0');
	}
	return 0;
}
