/*
 * Trace files taken apart, for the fuzz target: chunks whose parts are neither deflated nor checked,
 * so that a changed byte reaches the decoder after the checksums.
 */
#ifndef GCSPY_TESTS_TRACE_PARTS_H
#define GCSPY_TESTS_TRACE_PARTS_H

#include "trace_input.h"

/* What an input's first byte says of the rest, modulo three. */
enum trace_mode {
	TRACE_AS_IT_IS, /* a file */
	TRACE_CHECKED,  /* a file whose checksums are made right first */
	TRACE_APART     /* a file that was taken apart */
};

/* Makes the checksums of the file head, of all chunks and of the end mark right. */
void trace_mend(uint8_t *bytes, size_t length);

/* Makes a file of the records in `data`, as far as they go. */
void trace_assemble(struct wr *file, const uint8_t *data, size_t size);

/* The records of a file; its index lists what trace_assemble makes. */
void trace_take_apart(struct wr *records, const char *path);

#endif
