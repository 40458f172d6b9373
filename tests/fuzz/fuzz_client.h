/* A client's decoder given one input, which checks all that it tells: for the targets of both
 * dialects. */
#ifndef GCSPY_TESTS_FUZZ_CLIENT_H
#define GCSPY_TESTS_FUZZ_CLIENT_H

#include "decoder.h"
#include "fuzz.h"

void fuzz_client(const struct decoder_dialect *dialect, const uint8_t *data, size_t size);

#endif
