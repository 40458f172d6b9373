/*
 * Completion of a trigger's condition: events, attributes, operators and values of enumerations of
 * the model that fit what has been typed. Pure functions of the text.
 */
#ifndef GCSPY_CLIENT_TRIGGERS_COMPLETE_H
#define GCSPY_CLIENT_TRIGGERS_COMPLETE_H

#include <gcspy/model.h>
#include <stddef.h>
#include <stdint.h>

#define TRIGGERS_SUGGESTIONS 8

struct trigger_suggestion {
	char text[96]; /* takes the place of the bytes from `from` to the cursor */
	size_t from;
};

/* The suggestions for the end of the first n bytes of a condition; returns how many. */
uint32_t triggers_complete(const struct gcs_model *model, const char *text, size_t n,
    struct trigger_suggestion out[TRIGGERS_SUGGESTIONS]);

#endif
