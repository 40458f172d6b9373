/* The numbers of call sites: hashes of their shown texts. */

#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "hash.h"
#include "sites_internal.h"

enum { DIGITS = 12 };

#define NUMBER_MASK ((UINT64_C(1) << 48) - 1)

/* Includes the terminating NUL, so that a sequence of texts differs from their concatenation. */
static uint64_t add_text(uint64_t h, const char *text)
{
	return hash_bytes(h, text, strlen(text) + 1);
}

static uint64_t hash_frame(const struct gcs_frame *f)
{
	uint64_t h = add_text(HASH_BEGIN, f->class_name);
	h = add_text(add_text(h, f->method), f->file);
	return (h ^ ((uint64_t)f->line << 8 | f->kind)) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t begin(const char *class_name)
{
	return add_text(UINT64_C(0x84222325cbf29ce4), class_name);
}

/* Adds a frame; the youngest comes first. */
static uint64_t add(uint64_t h, uint64_t frame)
{
	h = (h ^ frame) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ h >> 31;
}

static uint64_t end(uint64_t h)
{
	h = (h ^ h >> 29) * UINT64_C(0x94d049bb133111eb) & NUMBER_MASK;
	return h == 0 ? 1 : h;
}

uint64_t gcs_site_number(const struct gcs_sites *sites, const struct gcs_site *site)
{
	uint64_t h = begin(site->class_name);
	uint32_t stack = site->stack;
	const struct gcs_frame *f;
	while ((f = gcs_sites_caller(sites, &stack)) != NULL)
		h = add(h, hash_frame(f));
	return end(h);
}

bool gcs_site_number_parse(const char *text, uint64_t *number)
{
	if (strlen(text) != DIGITS || strspn(text, "0123456789abcdefABCDEF") != DIGITS)
		return false;
	*number = strtoull(text, NULL, 16);
	return true;
}

struct frame_hash {
	uint64_t hash;
	bool hidden;
};

/* If all frames are hidden, the youngest is shown, as in gcs_sites. */
static uint64_t number_of(const struct gcs_profile *profile, const struct frame_hash *frames,
    const struct gcs_profile_entry *e)
{
	uint64_t h = begin(gcs_profile_name(profile, e->class_name));
	const uint64_t bare = h;
	bool any = false;
	for (uint32_t at = e->stack; at != GCS_NONE;) {
		const struct gcs_stack *s = gcs_profile_stack(profile, at);
		if (!frames[s->frame].hidden) {
			h = add(h, frames[s->frame].hash);
			any = true;
		}
		at = s->parent;
	}
	if (!any && e->stack != GCS_NONE)
		h = add(bare, frames[gcs_profile_stack(profile, e->stack)->frame].hash);
	return end(h);
}

/* The hashes of a profile's frames, so that long names are read once. NULL without memory. */
static struct frame_hash *hash_frames(const struct gcs_profile *profile, bool all_frames)
{
	const uint32_t count = gcs_profile_frame_count(profile);
	struct frame_hash *frames = gcs_alloc((count + (size_t)1) * sizeof *frames);
	for (uint32_t i = 0; frames != NULL && i < count; i++) {
		const struct gcs_frame *f = gcs_profile_frame(profile, i);
		frames[i] = (struct frame_hash){
		    .hash = hash_frame(f), .hidden = !all_frames && gcs_frame_is_runtime(f)};
	}
	return frames;
}

bool gcs_profile_site_numbers(const struct gcs_profile *profile, bool all_frames, uint64_t *numbers)
{
	struct frame_hash *frames = hash_frames(profile, all_frames);
	if (frames == NULL)
		return false;
	for (uint32_t i = 0; i < gcs_profile_entry_count(profile); i++)
		numbers[i] = number_of(profile, frames, gcs_profile_entry(profile, i));
	gcs_free(frames);
	return true;
}

bool gcs_sites_numbers(const struct gcs_sites *sites, uint64_t *numbers)
{
	struct frame_hash *frames = hash_frames(sites->profile, true);
	if (frames == NULL)
		return false;
	for (uint32_t i = 0; i < sites->count; i++) {
		uint64_t h = begin(sites->items[i].class_name);
		for (uint32_t at = sites->items[i].stack; at < sites->stacks.count;) {
			const uint32_t *words = sites->stacks.items[at].words;
			h = add(h, frames[words[1]].hash);
			at = words[0] - 1;
		}
		numbers[i] = end(h);
	}
	gcs_free(frames);
	return true;
}
