#include "native_names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "elf_names.h"
#include "hash.h"
#include "profile_tables.h"

/* A library, by the text in its frames: path and build id. */
struct library {
	char *text;
	struct elf_file *file; /* NULL: it cannot be read */
	int64_t since_ns;
};

/* A call in it. */
struct call {
	uint32_t library;
	uint64_t address;
	char *function; /* NULL: not known */
	char *file;
	uint32_t line;
};

/* What was looked up, for all profiles of this process. */
static struct {
	pthread_mutex_t lock;
	struct hash_table by_text, by_call;
	struct library *libraries;
	struct call *calls;
	uint32_t library_count, library_room, call_count, call_room;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Room for one more item; false without memory. */
static bool grow(void **items, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return true;
	const uint32_t more = *room == 0 ? 64 : *room * 2;
	void *larger = gcs_realloc(*items, more * size);
	if (larger == NULL)
		return false;
	*items = larger;
	*room = more;
	return true;
}

static struct elf_file *open_file(const char *text, int64_t since_ns)
{
	char *path = gcs_strdup(text);
	char *id = path == NULL ? NULL : strrchr(path, '#');
	if (id != NULL && (strspn(id + 1, "0123456789abcdef") != strlen(id + 1) || id[1] == '\0'))
		id = NULL; /* part of the file's name */
	if (id != NULL)
		*id++ = '\0';
	struct elf_file *file =
	    path == NULL ? NULL : elf_open(path, id == NULL ? "" : id, since_ns);
	gcs_free(path);
	return file;
}

/* UINT32_MAX without memory. A file without build id is trusted only for the run that it is from. */
static uint32_t library_of(const char *text, int64_t since_ns)
{
	const uint64_t hash = hash_add(
	    hash_text(HASH_BEGIN, text), strchr(text, '#') == NULL ? (uint64_t)since_ns : 0);
	struct hash_search s = hash_search(&known.by_text, hash);
	for (uint64_t i; hash_next(&s, &i);)
		if (strcmp(known.libraries[i].text, text) == 0)
			return (uint32_t)i;
	const uint32_t number = known.library_count;
	if (!grow((void **)&known.libraries, number, &known.library_room, sizeof *known.libraries))
		return UINT32_MAX;
	struct library *l = &known.libraries[number];
	l->text = gcs_strdup(text);
	if (l->text == NULL || !hash_put(&known.by_text, hash, number)) {
		gcs_free(l->text);
		return UINT32_MAX;
	}
	l->file = open_file(text, since_ns);
	known.library_count++;
	return number;
}

/* NULL without memory. */
static const struct call *call_of(uint32_t library, uint64_t address)
{
	struct elf_code code;
	const uint64_t hash = hash_add(hash_mix(address), library);
	struct hash_search s = hash_search(&known.by_call, hash);
	for (uint64_t i; hash_next(&s, &i);)
		if (known.calls[i].library == library && known.calls[i].address == address)
			return &known.calls[i];
	const uint32_t number = known.call_count;
	if (!grow((void **)&known.calls, number, &known.call_room, sizeof *known.calls) ||
	    !hash_put(&known.by_call, hash, number))
		return NULL;
	struct call *c = &known.calls[number];
	*c = (struct call){.library = library, .address = address};
	struct elf_file *file = known.libraries[library].file;
	if (file != NULL && elf_find(file, address, &code)) {
		c->function = gcs_strdup(code.function);
		c->file = gcs_strdup(code.file);
		c->line = code.line;
	}
	known.call_count++;
	return c;
}

static void name(struct gcs_profile *profile, struct gcs_frame *f)
{
	char *end;
	if (f->kind != GCS_FRAME_NATIVE || strncmp(f->method, "+0x", 3) != 0 || f->file[0] != '/')
		return;
	const uint64_t address = strtoull(f->method + 1, &end, 16);
	const uint32_t library =
	    *end == '\0' ? library_of(f->file, profile->head.since_wall_ns) : UINT32_MAX;
	const struct call *c = library == UINT32_MAX ? NULL : call_of(library, address);
	const char *function = c == NULL || c->function == NULL || c->file == NULL
				   ? NULL
				   : profile_keep(profile, c->function);
	const char *file = function == NULL ? NULL : profile_keep(profile, c->file);
	if (file == NULL)
		return;
	f->method = function;
	f->file = file;
	f->line = c->line;
}

static void complete(struct gcs_profile *profile)
{
	struct gcs_frame *frames = profile->frames.items;
	pthread_mutex_lock(&known.lock);
	for (uint32_t i = 0; i < profile->frames.count; i++)
		name(profile, &frames[i]);
	pthread_mutex_unlock(&known.lock);
}

void native_names_use(void)
{
	profile_on_decoded(complete);
}
