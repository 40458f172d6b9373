/* Addresses as people type them. */
#include "fuzz.h"

#include <string.h>

#include "net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
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
