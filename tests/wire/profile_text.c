#include "profile_text.h"

#include <inttypes.h>

static void print_judge(FILE *f, const struct gcs_profile_judge *j)
{
	fprintf(f, "  judged %" PRIu64 " %" PRId64 " \"%s\"\n", j->number, j->wall_ns, j->kind);
}

static void print_head(FILE *f, const struct gcs_profile_head *h)
{
	fprintf(f, "profile %s of %s, %s\n", gcs_profile_kind_word(h->kind), h->server, h->as_of);
	fprintf(f, "  wall %" PRId64 " since %" PRId64 " interval %" PRIu64, h->wall_ns,
	    h->since_wall_ns, h->interval);
	fprintf(f, " collections %" PRIu64 " allocated %.17g %.17g\n", h->collections,
	    h->allocated_bytes, h->allocated_objects);
	fprintf(f, "  samples %" PRIu64 " tracked %" PRIu64 " died %" PRIu64 " dropped %" PRIu64,
	    h->samples, h->tracked, h->died, h->dropped);
	fprintf(f, " lost %" PRIu64 " elsewhere %" PRIu64 " garbage %" PRIu64 "\n", h->lost,
	    h->elsewhere, h->garbage_seen);
	if (h->live_includes_new)
		return;
	print_judge(f, &h->judged);
	print_judge(f, &h->judged_old);
	fprintf(f, "  used %" PRIu64 "\n", h->used_bytes);
}

/* A reference that may be none. */
static void print_reference(FILE *f, uint32_t number)
{
	if (number == GCS_NONE)
		fprintf(f, " -");
	else
		fprintf(f, " %u", number);
}

static void print_entry(FILE *f, const struct gcs_profile_entry *e, bool totals, bool supplement)
{
	fprintf(f, "  entry");
	print_reference(f, e->stack);
	fprintf(f, " %u %u samples %" PRIu64, e->class_name, e->thread, e->samples);
	fprintf(f, " bytes %.17g %.17g objects %.17g %.17g", e->bytes, e->bytes_variance,
	    e->objects, e->objects_variance);
	fprintf(f, " age %u lifetime %" PRIu64, e->age, e->lifetime_bytes);
	if (!totals) {
		fprintf(f, " id %" PRIu64 " size %" PRIu64 " wall %" PRId64 " context %" PRIu64,
		    e->id, e->size, e->wall_ns, e->context);
	} else {
		fprintf(f, " live %.17g %.17g died", e->live_bytes, e->live_objects);
		for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
			fprintf(f, " %.17g", e->died_bytes[i]);
	}
	if (supplement && totals)
		fprintf(f, " region %u from %" PRIu64 " new %.17g %.17g", e->region, e->size,
		    e->new_bytes, e->new_objects);
	else if (supplement)
		fprintf(f, " region %u at %" PRIu64 " %d", e->region, e->address, e->approximate);
	fprintf(f, "\n");
}

void profile_print(FILE *f, const struct gcs_profile *p)
{
	print_head(f, gcs_profile_head(p));
	for (uint32_t i = 0; i < gcs_profile_name_count(p); i++)
		fprintf(f, "  name \"%s\"\n", gcs_profile_name(p, i));
	for (uint32_t i = 0; i < gcs_profile_frame_count(p); i++) {
		const struct gcs_frame *frame = gcs_profile_frame(p, i);
		fprintf(f, "  frame %d %s|%s|%s|%u\n", (int)frame->kind, frame->class_name,
		    frame->method, frame->file, frame->line);
	}
	for (uint32_t i = 0; i < gcs_profile_stack_count(p); i++) {
		fprintf(f, "  stack");
		print_reference(f, gcs_profile_stack(p, i)->parent);
		fprintf(f, " %u\n", gcs_profile_stack(p, i)->frame);
	}
	for (uint32_t i = 0; i < gcs_profile_entry_count(p); i++)
		print_entry(f, gcs_profile_entry(p, i),
		    gcs_profile_head(p)->kind == GCS_PROFILE_ALLOCATED,
		    !gcs_profile_head(p)->live_includes_new);
}
