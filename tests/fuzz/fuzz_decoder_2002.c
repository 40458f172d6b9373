/* The client's decoder of the protocol of 2002: hello, bootstrap, commands. */
#include "decoder_2002.h"
#include "fuzz_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_client(&decoder_2002, data, size);
	return 0;
}
