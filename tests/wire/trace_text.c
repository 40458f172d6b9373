#include "trace_text.h"

#include <stdlib.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "profile_text.h"
#include "snapshot_text.h"

enum { IN_FULL = 16 };

static void print_event(FILE *file, struct gcs_trace *trace, uint64_t place)
{
	struct gcs_snapshot *s = gcs_trace_at(trace, place, NULL);
	char *text = NULL;
	size_t length = 0;
	uint64_t hash = 0;
	if (s == NULL) {
		fprintf(file, "event %llu: lost\n", (unsigned long long)place);
		return;
	}
	FILE *to = open_memstream(&text, &length);
	if (to == NULL)
		abort();
	model_print(to, gcs_snapshot_model(s));
	snapshot_print(to, s);
	fclose(to);
	for (size_t i = 0; i < length; i++)
		hash = hash * 31 + (unsigned char)text[i];
	fprintf(file, "event %llu: sequence %llu hash %llx\n", (unsigned long long)place,
	    (unsigned long long)gcs_snapshot_occurrence(s)->sequence, (unsigned long long)hash);
	if (place % IN_FULL == 0)
		fwrite(text, 1, length, file);
	free(text);
	gcs_snapshot_unref(s);
}

static void print_profile(FILE *file, struct gcs_trace *trace, uint64_t number)
{
	struct gcs_trace_profile_info info;
	struct gcs_profile *p = gcs_trace_profile(trace, number, NULL);
	(void)gcs_trace_profile_info(trace, number, &info);
	fprintf(file, "profile %llu after %llu events, time %llu\n", (unsigned long long)number,
	    (unsigned long long)info.place, (unsigned long long)info.time_ns);
	if (p != NULL)
		profile_print(file, p);
	gcs_profile_free(p);
}

static void print_answer(FILE *file, struct gcs_trace *trace, uint64_t number)
{
	uint64_t place, hash = 0;
	struct gcs_trace_answer *a = gcs_trace_get_answer(trace, number, &place, NULL);
	if (a == NULL) {
		fprintf(file, "answer %llu: lost\n", (unsigned long long)number);
		return;
	}
	for (size_t i = 0; i < a->length; i++)
		hash = hash * 31 + ((const unsigned char *)a->bytes)[i];
	fprintf(file, "answer %llu of %s after %llu events at %lld: %s, %llu bytes hash %llx\n",
	    (unsigned long long)number, a->plugin, (unsigned long long)place, (long long)a->wall_ns,
	    a->message, (unsigned long long)a->length, (unsigned long long)hash);
	gcs_plugin_free(a);
}

void trace_print(FILE *file, struct gcs_trace *trace)
{
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	fprintf(file,
	    "version %u.%u created %lld: %llu events, %llu profiles, %s, %llu stray bytes\n",
	    info.major, info.minor, (long long)info.created_wall_ns,
	    (unsigned long long)info.events, (unsigned long long)info.profiles,
	    info.complete ? "complete" : "cut", (unsigned long long)info.stray_bytes);
	for (uint64_t i = 0; i < info.events; i++)
		print_event(file, trace, i);
	for (uint64_t i = 0; i < info.profiles; i++)
		print_profile(file, trace, i);
	for (uint64_t i = 0; i < info.answers; i++)
		print_answer(file, trace, i);
}
