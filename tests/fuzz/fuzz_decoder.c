/* The client's whole decoder: preamble, frames (deflated too), description, snapshots, answers. */
#include "fuzz_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_client(&native_decoder, data, size);
	return 0;
}
