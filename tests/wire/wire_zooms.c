#include "wire_zooms.h"

#include <pthread.h>
#include <stdio.h>

enum { VALUE, FROM, TO, STREAMS };

static const struct gcs_stream streams[STREAMS] = {
    [VALUE] = {.name = "Value", .type = GCS_TYPE_I64, .max = INT64_MAX},
    [FROM] = {.name = "From", .type = GCS_TYPE_I64, .role = GCS_ROLE_RANGE_START, .max = INT64_MAX},
    [TO] = {.name = "To", .type = GCS_TYPE_I64, .role = GCS_ROLE_RANGE_END, .max = INT64_MAX},
};

static struct zoomed {
	uint32_t space; /* GCS_NONE: not described yet */
	bool there;
	uint64_t start, end, block;
} zooms[GCS_MAX_ZOOMS];

static uint32_t known; /* that have a space */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void wire_zoom(void *context, const struct gcs_zoom *zoom)
{
	struct gcs_server *server = *(struct gcs_server **)context;
	char name[100];
	struct gcs_error err;
	snprintf(name, sizeof name, "%.20s 0x%llx-0x%llx", zoom->of->name,
	    (unsigned long long)zoom->start, (unsigned long long)zoom->end);
	struct gcs_space space = {.name = name,
	    .group = zoom->of->group,
	    .block_bytes = zoom->block_bytes,
	    .stream_count = STREAMS,
	    .streams = streams};
	pthread_mutex_lock(&lock);
	uint32_t i = 0;
	while (i < known && zooms[i].there)
		i++;
	uint32_t id = zooms[i].space;
	enum gcs_status status = i < known ? gcs_server_set_space(server, id, &space, &err)
					   : gcs_server_add_space(server, &space, &id, &err);
	if (status == GCS_OK) {
		zooms[i] = (struct zoomed){id, true, zoom->start, zoom->end, zoom->block_bytes};
		known += i == known;
	}
	pthread_mutex_unlock(&lock);
	if (status != GCS_OK)
		gcs_server_answer(server, zoom->ticket, status, err.text, NULL, 0);
	else if (!gcs_server_zoomed(server, zoom->ticket, id))
		wire_unzoom(context, id);
}

void wire_unzoom(void *context, uint32_t space)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < known; i++)
		if (zooms[i].space == space)
			zooms[i].there = false;
	(void)gcs_server_remove_space(*(struct gcs_server **)context, space, NULL);
	pthread_mutex_unlock(&lock);
}

bool wire_zooms_has(uint32_t space)
{
	bool has = false;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < known; i++)
		has = has || zooms[i].space == space;
	pthread_mutex_unlock(&lock);
	return has;
}

static void fill(struct gcs_snapshot *s, const struct zoomed *z, uint32_t tick)
{
	uint32_t tiles = (uint32_t)((z->end - z->start + z->block - 1) / z->block);
	if (!gcs_snapshot_resize(s, z->space, tiles))
		return; /* it was begun before the zoom was described */
	int64_t *values[STREAMS];
	for (uint32_t i = 0; i < STREAMS; i++)
		if ((values[i] = gcs_snapshot_write(s, z->space, i)) == NULL)
			return;
	for (uint32_t i = 0; i < tiles; i++) {
		uint64_t from = z->start + i * z->block, to = from + z->block;
		values[VALUE][i] = (int64_t)from + tick;
		values[FROM][i] = (int64_t)from;
		values[TO][i] = (int64_t)(to < z->end ? to : z->end);
	}
	gcs_snapshot_set_gathered(s, z->space, true);
}

void wire_zooms_fill(struct gcs_snapshot *s, uint32_t tick)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < known; i++)
		if (zooms[i].there)
			fill(s, &zooms[i], tick);
	pthread_mutex_unlock(&lock);
}
