#include "snapshot_text.h"

#include <gcspy/plugin.h>
#include <gcspy/trigger.h>

void model_print(FILE *file, const struct gcs_model *model)
{
	fprintf(file, "model %s: %u info, %u events, %u groups, %u spaces\n", model->server_name,
	    model->info_count, model->event_count, model->group_count, model->space_count);
	for (uint32_t i = 0; i < model->plugin_count; i++) {
		const struct gcs_plugin *p = &model->plugins[i];
		fprintf(file, "  plugin %s \"%s\" \"%s\" %d:", p->name, p->title, p->description,
		    (int)p->kind);
		for (uint32_t k = 0; k < p->parameter_count; k++)
			fprintf(file, " %s/%d=%s", p->parameters[k].name,
			    (int)p->parameters[k].kind,
			    p->parameters[k].initial == NULL ? "-" : p->parameters[k].initial);
		fprintf(file, "\n");
	}
}

static void print_space(FILE *file, const struct gcs_snapshot *s, uint32_t i)
{
	const struct gcs_space *p = &gcs_snapshot_model(s)->spaces[i];
	uint32_t count;
	if (p->gone) {
		fprintf(file, "  space %u gone\n", i);
		return;
	}
	uint32_t tiles = gcs_snapshot_tiles(s, i);
	fprintf(file, "  space %u %s \"%s\": %u tiles%s\n", i, p->name,
	    gcs_snapshot_space_info(s, i), tiles, gcs_snapshot_gathered(s, i) ? "" : ", older");
	for (uint32_t k = 0; k < p->stream_count; k++) {
		const int64_t *values = gcs_snapshot_values(s, i, k);
		uint64_t sum = 0;
		for (uint32_t t = 0; values != NULL && t < tiles; t++)
			sum = sum * 31 + (uint64_t)values[t];
		fprintf(file, "    %s: hash %llx", p->streams[k].name, (unsigned long long)sum);
		for (uint32_t t = 0; values != NULL && t < tiles && t < 12; t++)
			fprintf(file, " %lld", (long long)values[t]);
		const int64_t *summary = gcs_snapshot_summary(s, i, k, &count);
		for (uint32_t t = 0; t < count; t++)
			fprintf(file, "%s%lld", t == 0 ? " summary " : ",", (long long)summary[t]);
		fprintf(file, "\n");
	}
	for (uint32_t t = 0; t < tiles; t++)
		if (gcs_snapshot_name(s, i, t)[0] != '\0')
			fprintf(file, "    name %u %s\n", t, gcs_snapshot_name(s, i, t));
}

void snapshot_print(FILE *file, const struct gcs_snapshot *s)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	const struct gcs_model *m = gcs_snapshot_model(s);
	fprintf(file, "snapshot %llu event %s time %llu wall %lld cost %llu elapsed %llu",
	    (unsigned long long)o->sequence,
	    o->event == GCS_NONE ? "none" : m->events[o->event].name,
	    (unsigned long long)o->time_ns, (long long)o->wall_ns, (unsigned long long)o->cost_ns,
	    (unsigned long long)o->elapsed_ns);
	fprintf(file, " compensation %llu missed %llu\n", (unsigned long long)o->compensation_ns,
	    (unsigned long long)o->missed);
	for (uint32_t i = 0; o->event != GCS_NONE && i < m->events[o->event].attribute_count; i++) {
		int64_t number;
		const char *name = m->events[o->event].attributes[i].name;
		if (gcs_snapshot_number(s, i, &number))
			fprintf(file, "  %s %lld\n", name, (long long)number);
		else if (gcs_snapshot_text(s, i) != NULL)
			fprintf(file, "  %s %s\n", name, gcs_snapshot_text(s, i));
	}
	for (uint32_t i = 0; i < gcs_snapshot_fired_count(s); i++) {
		const struct gcs_fired *f = gcs_snapshot_fired(s, i);
		fprintf(file, "  fired %s %s times %llu plugin \"%s\" %s \"%s\":", f->trigger,
		    f->condition, (unsigned long long)f->times, f->plugin,
		    gcs_status_name(f->status), f->message);
		for (size_t k = 0; k < f->length; k++)
			fprintf(file, " %02x", ((const uint8_t *)f->answer)[k]);
		fprintf(file, "\n");
	}
	for (uint32_t i = 0; i < m->space_count; i++)
		print_space(file, s, i);
	fprintf(file, "  counters");
	for (uint32_t i = 0; i < m->event_count; i++)
		fprintf(file, " %llu", (unsigned long long)gcs_snapshot_counter(s, i));
	fprintf(file, "\n");
}
