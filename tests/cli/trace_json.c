/*
 * Tells what is in a trace file, as one JSON document: what tests compare with what they know. Reads
 * with the library's reader, every event of it.
 *
 *	trace-json FILE
 */
#include <inttypes.h>
#include <stdio.h>

#include <gcspy/trace.h>
#include <gcspy/trigger.h>

static void put_text(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text >= 0x20)
			putchar(*text);
	}
	putchar('"');
}

static void put_attributes(const struct gcs_snapshot *s, const struct gcs_event *event)
{
	for (uint32_t i = 0; i < event->attribute_count; i++) {
		const struct gcs_attribute *a = &event->attributes[i];
		const char *text = gcs_snapshot_text(s, i);
		int64_t number;
		printf("%s", i == 0 ? "" : ",");
		put_text(a->name);
		printf(":");
		if (text != NULL)
			put_text(text);
		else if (!gcs_snapshot_number(s, i, &number))
			printf("null");
		else if (a->kind == GCS_ATTRIBUTE_ENUM && number >= 0 &&
			 number < (int64_t)a->enum_count)
			put_text(a->enum_names[number]);
		else
			printf("%" PRId64, number);
	}
}

static void put_event(const struct gcs_snapshot *s)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	const struct gcs_model *m = gcs_snapshot_model(s);
	const bool known = o->event < m->event_count;
	uint64_t tiles = 0;
	for (uint32_t i = 0; i < m->space_count; i++)
		tiles += gcs_snapshot_tiles(s, i);
	printf("{\"name\":");
	if (known)
		put_text(m->events[o->event].name);
	else
		printf("null");
	printf(",\"sequence\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"tiles\":%" PRIu64
	       ",\"time\":%" PRIu64 ",\"wall\":%" PRId64 ",\"attributes\":{",
	    o->sequence, o->missed, tiles, o->time_ns, o->wall_ns);
	if (known)
		put_attributes(s, &m->events[o->event]);
	printf("},\"fired\":[");
	for (uint32_t i = 0; i < gcs_snapshot_fired_count(s); i++) {
		printf("%s", i == 0 ? "" : ",");
		put_text(gcs_snapshot_fired(s, i)->condition);
	}
	printf("]}");
}

static void put_profiles(struct gcs_trace *t, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct gcs_trace_profile_info p;
		struct gcs_profile *profile = gcs_trace_profile(t, i, NULL);
		if (profile == NULL || !gcs_trace_profile_info(t, i, &p))
			continue;
		printf("%s{\"kind\":\"%s\",\"place\":%" PRIu64 ",\"entries\":%u,\"bytes\":%" PRIu64
		       ",\"judged\":%" PRId64 "}",
		    i == 0 ? "" : ",", gcs_profile_kind_word(p.kind), p.place,
		    (unsigned)gcs_profile_entry_count(profile), p.bytes,
		    gcs_profile_head(profile)->judged.wall_ns);
		gcs_profile_free(profile);
	}
}

int main(int argc, char **argv)
{
	struct gcs_error err;
	struct gcs_trace_info info;
	if (argc != 2)
		return fprintf(stderr, "usage: trace-json FILE\n"), 2;
	struct gcs_trace *t = gcs_trace_open(argv[1], &err);
	if (t == NULL)
		return fprintf(stderr, "trace-json: %s\n", err.text), 1;
	gcs_trace_get_info(t, &info);
	printf("{\"complete\":%s,\"bytes\":%" PRIu64 ",\"stray\":%" PRIu64 ",\"damage\":%u,\n",
	    info.complete ? "true" : "false", info.bytes, info.stray_bytes,
	    (unsigned)gcs_trace_check(t));
	printf("\"events\":[");
	for (uint64_t i = 0; i < info.events; i++) {
		struct gcs_snapshot *s = gcs_trace_at(t, i, &err);
		if (s == NULL)
			return fprintf(stderr, "trace-json: %s\n", err.text), 1;
		printf("%s\n", i == 0 ? "" : ",");
		put_event(s);
		gcs_snapshot_unref(s);
	}
	printf("],\n\"profiles\":[");
	put_profiles(t, info.profiles);
	printf("]}\n");
	gcs_trace_close(t);
	return 0;
}
