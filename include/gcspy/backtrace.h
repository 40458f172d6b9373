/*
 * Backtraces of a target in C or C++ (F18), for the plugin `backtrace`: with libunwind, which the
 * target links itself (-lunwind); libgcspy does not need it. This header has everything, and belongs
 * into one source file of the target.
 *
 *	struct gcs_backtrace stack;
 *	gcs_backtrace_take(&stack);                               at the event: addresses alone
 *	gcs_backtrace_write(&stack, buffer, &length)              in options.plugin_at_event
 *	gcs_backtrace_encode(&stack, &bytes, &length, &err)       in options.query: with names
 *
 * Taking and writing allocate nothing. libunwind maps memory and takes the dynamic loader's lock when
 * it comes to code that it has not seen; take a backtrace once at the start.
 */
#ifndef GCSPY_BACKTRACE_H
#define GCSPY_BACKTRACE_H

#include <stdio.h>

#ifndef UNW_LOCAL_ONLY
#define UNW_LOCAL_ONLY
#endif
#include <libunwind.h>

#include "plugin.h"

GCS_BEGIN_DECLS

#define GCS_BACKTRACE_FRAMES 64u
#define GCS_BACKTRACE_NAME   256u /* bytes of a function's name; longer ones are cut */

/* A plain value that may be copied. */
struct gcs_backtrace {
	uint32_t count;
	uint64_t
	    addresses[GCS_BACKTRACE_FRAMES]; /* the calling function first, then return addresses */
};

/* Fills `b` with the stack of the calling thread. Any thread. */
static inline __attribute__((always_inline)) void gcs_backtrace_take(struct gcs_backtrace *b)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t address = 0;
	b->count = 0;
	if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
		return;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 || address == 0)
			return;
		b->addresses[b->count++] = (uint64_t)address;
	} while (b->count < GCS_BACKTRACE_FRAMES && unw_step(&cursor) > 0);
}

/* A varint at `at`, or nothing where it does not fit. */
static inline size_t gcs_backtrace_put(unsigned char *bytes, size_t at, size_t room, uint64_t value)
{
	while (value >= 0x80 && at < room) {
		bytes[at++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	if (at < room)
		bytes[at++] = (unsigned char)value;
	return at;
}

/*
 * Writes a table with the column Address, as plugin_at_event does: `length` is the room in bytes, and
 * receives the length. LIMIT if the room is too small; 1 KiB is enough.
 */
static inline enum gcs_status gcs_backtrace_write(
    const struct gcs_backtrace *b, void *buffer, size_t *length)
{
	/* docs/protocol.md, section 12: version, kind, flags, number of columns. */
	static const unsigned char head[] = {1, GCS_PLUGIN_TABLE, 0, 1};
	static const unsigned char column[] = {0, /* no title */
	    7, 'A', 'd', 'd', 'r', 'e', 's', 's', GCS_COLUMN_NUMBER, GCS_HEX};
	unsigned char *bytes = (unsigned char *)buffer;
	const size_t room = *length;
	size_t at = 0;
	for (size_t i = 0; i < sizeof head && at < room; i++)
		bytes[at++] = head[i];
	at = gcs_backtrace_put(bytes, at, room, b->count);
	for (size_t i = 0; i < sizeof column && at < room; i++)
		bytes[at++] = column[i];
	for (uint32_t i = 0; i < b->count; i++) {
		const uint64_t address = b->addresses[i];
		at = gcs_backtrace_put(bytes, at, room, 1);
		at = gcs_backtrace_put(bytes, at, room, (address << 1) ^ (0 - (address >> 63)));
	}
	*length = at;
	return at < room ? GCS_OK : GCS_LIMIT;
}

/* A function's name, "" if it is not known: libunwind takes the nearest symbol before the address, which is
 * another function's where this one has no symbol, as static ones of a stripped file have none. */
static inline void gcs_backtrace_name(uint64_t address, char *name, size_t size)
{
	unw_accessors_t *find = unw_get_accessors(unw_local_addr_space);
	unw_word_t offset = 0;
	unw_proc_info_t info;
	int found = -UNW_ENOINFO;
	if (find != NULL && find->get_proc_name != NULL)
		found = find->get_proc_name(
		    unw_local_addr_space, (unw_word_t)address, name, size, &offset, NULL);
	if (found == -UNW_ENOMEM) /* the name was cut */
		found = 0;
	if (found != 0 ||
	    (unw_get_proc_info_by_ip(unw_local_addr_space, (unw_word_t)address, &info, NULL) == 0 &&
		(unw_word_t)info.start_ip > (unw_word_t)address - offset))
		name[0] = '\0';
}

/*
 * Encodes a table with the columns Function and Address; the caller frees `*bytes` with
 * gcs_plugin_free. Looks up names in the program's files, which takes milliseconds at first: not at an
 * event.
 */
static inline enum gcs_status gcs_backtrace_encode(
    const struct gcs_backtrace *b, void **bytes, size_t *length, struct gcs_error *err)
{
	char names[GCS_BACKTRACE_FRAMES][GCS_BACKTRACE_NAME];
	char title[32];
	struct gcs_cell cells[GCS_BACKTRACE_FRAMES][2];
	struct gcs_column columns[2] = {
	    {"Function", GCS_COLUMN_TEXT, GCS_DECIMAL}, {"Address", GCS_COLUMN_NUMBER, GCS_HEX}};
	struct gcs_table table;
	for (uint32_t i = 0; i < b->count; i++) {
		/* A return address may be after the last instruction of its function. */
		gcs_backtrace_name(b->addresses[i] - (i != 0), names[i], sizeof names[i]);
		cells[i][0].text = names[i];
		cells[i][0].number = 0;
		cells[i][0].absent = false;
		cells[i][1].text = NULL;
		cells[i][1].number = (int64_t)b->addresses[i];
		cells[i][1].absent = false;
	}
	snprintf(title, sizeof title, "%u frames", (unsigned)b->count);
	table.title = title;
	table.column_count = 2;
	table.columns = columns;
	table.row_count = b->count;
	table.cells = &cells[0][0];
	table.depths = NULL;
	return gcs_table_encode(&table, bytes, length, err);
}

GCS_END_DECLS

#endif
