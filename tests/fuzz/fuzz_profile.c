/* The document of a profile; what decodes must be sound and code to the same. */
#include "fuzz.h"

#include <gcspy/memory.h>

#include "kit_profile.h"
#include "profile_tables.h"

static void check(const struct gcs_profile *p)
{
	uint32_t names = gcs_profile_name_count(p), stacks = gcs_profile_stack_count(p);
	for (uint32_t i = 0; i < stacks; i++) {
		const struct gcs_stack *s = gcs_profile_stack(p, i);
		fuzz_expect(gcs_profile_frame(p, s->frame) != NULL);
		fuzz_expect(s->parent == GCS_NONE || s->parent < i);
	}
	for (uint32_t i = 0; i < gcs_profile_entry_count(p); i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		fuzz_expect(e->stack == GCS_NONE || e->stack < stacks);
		fuzz_expect(e->class_name < names && e->thread < names);
		fuzz_expect(e->bytes >= 0 && e->objects >= 0);
	}
}

static void code_again(const struct gcs_profile *p)
{
	void *bytes;
	size_t length;
	struct gcs_error err = {.status = GCS_OK};
	if (gcs_profile_encode(p, &bytes, &length, &err) != GCS_OK) {
		fuzz_expect(err.status == GCS_NOMEM);
		return;
	}
	struct gcs_profile *same = gcs_profile_decode(bytes, length, &err);
	fuzz_expect(same != NULL || err.status == GCS_NOMEM);
	if (same != NULL)
		fuzz_expect(kit_profile_difference(p, same) == NULL);
	gcs_profile_free(same);
	gcs_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gcs_error err = {.text = ""};
	fuzz_begin();
	int64_t made_ns, judged_ns;
	const bool timed = profile_decode_times(data, size, &made_ns, &judged_ns);
	struct gcs_profile *p = gcs_profile_decode(data, size, &err);
	fuzz_expect(p == NULL || !timed || made_ns == gcs_profile_head(p)->wall_ns);
	if (p == NULL) {
		fuzz_expect(err.status != GCS_OK && err.text[0] != '\0');
	} else {
		check(p);
		code_again(p);
	}
	gcs_profile_free(p);
	fuzz_end();
	return 0;
}
