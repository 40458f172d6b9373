/*
 * Texts, functions and locations of profiles in formats of protocol buffers, numbered from 0 in the order in
 * which they come; equal ones have one number. Running out of memory sticks to the tables.
 */
#ifndef GCSPY_PROFILE_FRAME_TABLES_H
#define GCSPY_PROFILE_FRAME_TABLES_H

#include <gcspy/profile.h>

#include "arena.h"
#include "bytes.h"
#include "intern_table.h"

/* A zeroed struct is empty but for the text "", which frame_tables_begin adds. */
struct frame_tables {
	struct intern_texts texts;
	struct intern_keys functions; /* name, file: texts */
	struct intern_keys locations; /* function, line, enum gcs_frame_kind */
	struct arena arena;           /* names of functions */
	const struct gcs_profile *profile;
	uint32_t *known; /* by frame of the profile: its location plus 1, or 0 */
	bool failed;
};

/* Frames are those of this profile from now on; it must live until the next call, or the end. */
void frame_tables_begin(struct frame_tables *t, const struct gcs_profile *profile);
void frame_tables_fini(struct frame_tables *t);

/* The text must live as long as the tables. */
uint32_t frame_tables_text(struct frame_tables *t, const char *text);
uint32_t frame_tables_location(struct frame_tables *t, uint32_t frame);
uint32_t frame_tables_no_frames(struct frame_tables *t); /* "[no Java frames]" */

/* Writes all texts as fields of the message, as UTF-8 without control characters. */
void frame_tables_write_texts(const struct frame_tables *t, struct wr *message, uint32_t field);

#endif
