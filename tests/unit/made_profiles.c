#include "made_profiles.h"

#include <stdlib.h>
#include <string.h>

struct gcs_profile *profiles_empty(enum gcs_profile_kind kind)
{
	struct gcs_profile_head head = {
	    .kind = kind,
	    .server = "Test",
	    .as_of = "now",
	    .wall_ns = 1767323045000000000,
	    .since_wall_ns = 1767323000000000000,
	    .interval = 65536,
	    .live_includes_new = true, /* an older server */
	    .collections = 3,
	    .allocated_bytes = 5000000,
	    .allocated_objects = 50000,
	    .samples = 76,
	    .tracked = 4,
	    .died = 72,
	};
	return gcs_profile_create(&head);
}

uint32_t profiles_call(struct gcs_profile *p, uint32_t parent, const char *class_name,
    const char *method, uint32_t line)
{
	struct gcs_frame f = {.class_name = class_name,
	    .method = method,
	    .file = "File.java",
	    .line = line,
	    .kind = GCS_FRAME_JAVA};
	struct gcs_stack s = {.parent = parent, .frame = gcs_profile_add_frame(p, &f)};
	return gcs_profile_add_stack(p, &s);
}

bool profiles_sample(struct gcs_profile *p, uint32_t stack, const char *class_name,
    const char *thread, double bytes, uint32_t age)
{
	bool totals = gcs_profile_head(p)->kind == GCS_PROFILE_ALLOCATED;
	struct gcs_profile_entry e = {
	    .stack = stack,
	    .class_name = gcs_profile_add_name(p, class_name),
	    .thread = gcs_profile_add_name(p, thread),
	    .samples = totals ? 3 : 1,
	    .bytes = bytes,
	    .bytes_variance = bytes * 100,
	    .objects = bytes / 100,
	    .objects_variance = 4,
	    .age = age,
	    .lifetime_bytes = 1000u * age,
	};
	if (totals) {
		e.live_bytes = bytes / 4;
		e.live_objects = bytes / 400;
		e.died_bytes[gcs_survival_bucket(age)] = bytes * 3 / 4;
	}
	return gcs_profile_add_entry(p, &e);
}

struct gcs_profile *profiles_plain(enum gcs_profile_kind kind)
{
	struct gcs_profile *p = profiles_empty(kind);
	if (p == NULL)
		return NULL;
	bool good = true;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t top = profiles_call(p, GCS_NONE, "app.Main", "main", 10);
		uint32_t by = profiles_call(p, top, "java.lang.reflect.Method", "invoke", 1 + i);
		uint32_t work = profiles_call(p, by, "app.Work", "run", 20);
		good = good && profiles_sample(p, work, "byte[]", i == 0 ? "main" : "worker",
				   i == 0 ? 600000 : 200000, i == 0 ? 3 : 1);
		if (i == 1)
			good = good &&
			       profiles_sample(p, top, "java.util.ArrayList", "main", 100000, 0);
	}
	if (good && profiles_sample(p, GCS_NONE, "byte[]", "worker", 40000, 0))
		return p;
	gcs_profile_free(p);
	return NULL;
}

static bool keep(void *context, const void *bytes, size_t length)
{
	struct kept *kept = context;
	if (length > kept->room)
		return false;
	if (kept->length + length >= kept->capacity) {
		const size_t capacity = 2 * (kept->length + length) + 1;
		char *more = realloc(kept->bytes, capacity);
		if (more == NULL)
			return false;
		kept->bytes = more;
		kept->capacity = capacity;
	}
	memcpy(kept->bytes + kept->length, bytes, length);
	kept->length += length;
	kept->bytes[kept->length] = '\0';
	kept->room -= length;
	return true;
}

struct gcs_sink profiles_sink(struct kept *kept)
{
	return (struct gcs_sink){.write = keep, .context = kept};
}

void profiles_forget(struct kept *kept)
{
	free(kept->bytes);
	*kept = (struct kept){.room = SIZE_MAX};
}
