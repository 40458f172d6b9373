/* Parts of make_corpus.c. */
#ifndef GCSPY_TESTS_CORPUS_H
#define GCSPY_TESTS_CORPUS_H

#include "bytes.h"

/* Writes an input of a target; ends the program if it cannot. */
void corpus_save(const char *target, const char *name, const struct wr *w);

/* Writes what goes over a connection, of both protocols: from servers, and from clients. */
void corpus_conversations(void);

#endif
