/*
 * What every fuzz target has: the entry that libFuzzer calls with one input, and
 * a way to write the corpus with our own encoder. Inputs are arbitrary bytes; a target must neither
 * crash, leak nor take more than a bounded memory, whatever they are (Q2).
 */
#ifndef GCSPY_TESTS_FUZZ_H
#define GCSPY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a message if `condition` does not hold. */
#define fuzz_expect(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_failed(__FILE__, __LINE__, #condition);                               \
	} while (0)

void fuzz_failed(const char *file, int line, const char *condition);

/* Sets the library's allocator up: bounded, so that inputs which ask for the largest allowed
 * spaces meet the end of memory instead of the machine's. Once. */
void fuzz_begin(void);

/* Checks that the library holds no memory any more. */
void fuzz_end(void);

#endif
