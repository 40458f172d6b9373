#include "perfdata.h"

#include <string.h>

#include "bytes.h"

enum { LITTLE_ENDIAN_FILE = 1, MAJOR = 2, ENTRY_HEADER = 20 };

/* The bytes ca fe c0 c0. */
static const uint32_t magic = 0xc0c0feca;

/* One entry, as offsets from its beginning. */
struct entry {
	uint32_t bytes;
	uint32_t name;
	uint32_t vector; /* values; 0 for a single one */
	uint8_t type;    /* a field descriptor of the JVM: 'B' is byte */
	uint32_t data;
};

/* Where the first entry is, or 0. `*count` and `*live` are what the file claims. */
static uint32_t read_prologue(struct rd *r, uint32_t *count, bool *live)
{
	bool fits = rd_u32(r) == magic;
	fits = rd_u8(r) == LITTLE_ENDIAN_FILE && fits;
	fits = rd_u8(r) == MAJOR && fits;
	rd_bytes(r, 1); /* minor version */
	*live = rd_u8(r) != 0;
	rd_bytes(r, 4 + 4 + 8); /* used, overflow, time */
	uint32_t first = rd_u32(r);
	*count = rd_u32(r);
	return fits && r->status == GCS_OK ? first : 0;
}

static struct entry read_entry(struct rd *r)
{
	struct entry e;
	e.bytes = rd_u32(r);
	e.name = rd_u32(r);
	e.vector = rd_u32(r);
	e.type = rd_u8(r);
	rd_bytes(r, 3); /* flags, units, variability */
	e.data = rd_u32(r);
	return e;
}

/* True if the entry lies within `left` bytes and its name and text within it. */
static bool is_sound(const struct entry *e, size_t left)
{
	return e->bytes >= ENTRY_HEADER && e->bytes <= left && e->name < e->bytes &&
	       e->data <= e->bytes && e->vector <= e->bytes - e->data;
}

static bool is_named(const uint8_t *entry, const struct entry *e, const char *name)
{
	size_t length = strlen(name) + 1; /* with its end */
	return length <= e->bytes - e->name && memcmp(entry + e->name, name, length) == 0;
}

bool perfdata_is_live(const uint8_t *bytes, size_t length)
{
	uint32_t count;
	bool live;
	struct rd head = rd_over(bytes, length);
	return read_prologue(&head, &count, &live) != 0 && live;
}

/* The first entry of that type and name; NULL if there is none. */
static const uint8_t *find_entry(
    const uint8_t *bytes, size_t length, uint8_t type, const char *name, struct entry *e)
{
	uint32_t count;
	bool live;
	struct rd head = rd_over(bytes, length);
	uint32_t at = read_prologue(&head, &count, &live);
	if (at == 0 || at > length)
		return NULL;
	/* Each turn moves on by a header at least, so that the count cannot make it long. */
	for (; count != 0; count--) {
		struct rd r = rd_over(bytes + at, length - at);
		*e = read_entry(&r);
		if (r.status != GCS_OK || !is_sound(e, length - at))
			return NULL;
		if (e->type == type && is_named(bytes + at, e, name))
			return bytes + at;
		at += e->bytes;
	}
	return NULL;
}

bool perfdata_text(const uint8_t *bytes, size_t length, const char *name, char *text, size_t size)
{
	struct entry e;
	const uint8_t *entry = find_entry(bytes, length, 'B', name, &e);
	size_t most = entry == NULL ? 0 : e.vector < size ? e.vector : size - 1;
	if (entry != NULL)
		memcpy(text, entry + e.data, most);
	text[most] = '\0';
	return entry != NULL;
}

bool perfdata_number(const uint8_t *bytes, size_t length, const char *name, int64_t *number)
{
	struct entry e;
	const uint8_t *entry = find_entry(bytes, length, 'J', name, &e);
	if (entry == NULL || e.vector != 0 || e.bytes - e.data < sizeof *number)
		return false;
	struct rd r = rd_over(entry + e.data, sizeof *number);
	const uint64_t low = rd_u32(&r), high = rd_u32(&r);
	*number = (int64_t)(high << 32 | low);
	return true;
}
