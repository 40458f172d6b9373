/* The other server's spaces as spaces of this one. */
#include "native_heap_internal.h"

#include <stdio.h>
#include <string.h>

/* What the Java heap is called, too. */
static const char *name_of(const struct gcs_space *s)
{
	return strcmp(s->name, "Heap") == 0 ? "Native heap" : s->name;
}

/* Groups of the other server are in ours; their numbers, by its ids. */
static enum gcs_status add_groups(
    struct native_heap *n, uint32_t *groups, uint32_t most, struct gcs_error *err)
{
	enum gcs_status status = gcs_server_add_group(n->server,
	    &(struct gcs_group){.name = "Native heap", .parent = GCS_NONE}, &n->group, err);
	for (uint32_t i = 0; status == GCS_OK && i < n->model->group_count && i < most; i++) {
		struct gcs_group g = n->model->groups[i];
		g.parent = g.parent < i ? groups[g.parent] : n->group;
		status = gcs_server_add_group(n->server, &g, &groups[i], err);
	}
	return status;
}

enum gcs_status native_add_spaces(struct native_heap *n, struct gcs_error *err)
{
	enum { GROUPS = 64 };
	uint32_t groups[GROUPS];
	enum gcs_status status = add_groups(n, groups, GROUPS, err);
	for (uint32_t i = 0; status == GCS_OK && i < n->model->space_count; i++) {
		struct gcs_space s = n->model->spaces[i];
		struct native_space *to = &n->spaces[n->space_count];
		if (s.gone || n->space_count == NATIVE_SPACES)
			continue;
		s.name = name_of(&s);
		s.main = false;
		s.group = s.group < n->model->group_count && s.group < GROUPS ? groups[s.group]
									      : n->group;
		status = gcs_server_add_space(n->server, &s, &to->space, err);
		if (status != GCS_OK)
			break;
		to->source = i;
		n->space_count++;
	}
	return status;
}

/* Lock held: a place for a zoom; NULL: there are too many. */
static struct native_space *free_place(struct native_heap *n)
{
	for (uint32_t i = 0; i < n->space_count; i++)
		if (n->spaces[i].source == GCS_NONE)
			return &n->spaces[i];
	if (n->space_count == NATIVE_SPACES)
		return NULL;
	struct native_space *place = &n->spaces[n->space_count++];
	*place = (struct native_space){.source = GCS_NONE, .space = GCS_NONE, .zoom = true};
	return place;
}

/* On our thread, which alone adds spaces: a place stays where it is. */
uint32_t native_add_zoom(struct native_heap *n, uint32_t source)
{
	struct gcs_model *model = gcs_client_model(n->client);
	if (model == NULL || source >= model->space_count || model->spaces[source].gone) {
		gcs_model_unref(model);
		return GCS_NONE;
	}
	struct gcs_space s = model->spaces[source];
	char name[GCS_MAX_NAME + 1];
	snprintf(name, sizeof name, "%s%.*s", strncmp(s.name, "Heap", 4) == 0 ? "Native h" : "",
	    (int)sizeof name - 20, s.name + (strncmp(s.name, "Heap", 4) == 0 ? 1 : 0));
	s.name = name;
	s.main = false;
	s.group = n->group;
	pthread_mutex_lock(&n->lock);
	struct native_space *place = free_place(n);
	uint32_t space = place == NULL ? GCS_NONE : place->space;
	pthread_mutex_unlock(&n->lock);
	bool added = place != NULL;
	if (added && space == GCS_NONE)
		added = gcs_server_add_space(n->server, &s, &space, NULL) == GCS_OK;
	else if (added)
		added = gcs_server_set_space(n->server, space, &s, NULL) == GCS_OK;
	gcs_model_unref(model);
	if (!added)
		return GCS_NONE;
	pthread_mutex_lock(&n->lock);
	place->space = space;
	place->source = source;
	pthread_mutex_unlock(&n->lock);
	return space;
}

/* A column, as far as both spaces have the same tiles. */
static bool copy_stream(const struct gcs_snapshot *from, uint32_t source, struct gcs_snapshot *to,
    uint32_t space, uint32_t stream, uint32_t tiles)
{
	uint32_t count;
	const int64_t *summary = gcs_snapshot_summary(from, source, stream, &count);
	const int64_t *values = gcs_snapshot_values(from, source, stream);
	int64_t *copy = tiles == 0 ? NULL : gcs_snapshot_write(to, space, stream);
	if (tiles != 0 && (copy == NULL || values == NULL))
		return false;
	if (tiles != 0)
		memcpy(copy, values, tiles * sizeof *copy);
	return summary == NULL || count == 0 ||
	       gcs_snapshot_set_summary(to, space, stream, count, summary);
}

static bool copy_names(const struct gcs_snapshot *from, uint32_t source, struct gcs_snapshot *to,
    uint32_t space, uint32_t tiles)
{
	bool good = true;
	for (uint32_t i = 0; good && i < tiles; i++) {
		const char *name = gcs_snapshot_name(from, source, i);
		if (strcmp(name, gcs_snapshot_name(to, space, i)) != 0)
			good = gcs_snapshot_set_name(to, space, i, name);
	}
	return good;
}

static bool copy_space(
    const struct gcs_snapshot *from, const struct native_space *s, struct gcs_snapshot *to)
{
	const struct gcs_model *model = gcs_snapshot_model(from);
	if (s->source >= model->space_count || model->spaces[s->source].gone)
		return true; /* a zoom that is too new, or too old */
	const uint32_t tiles = gcs_snapshot_tiles(from, s->source);
	bool good =
	    gcs_snapshot_tiles(to, s->space) == tiles || gcs_snapshot_resize(to, s->space, tiles);
	for (uint32_t i = 0; good && i < model->spaces[s->source].stream_count; i++)
		good = copy_stream(from, s->source, to, s->space, i, tiles);
	return good && copy_names(from, s->source, to, s->space, tiles) &&
	       gcs_snapshot_set_space_info(
		   to, s->space, gcs_snapshot_space_info(from, s->source)) &&
	       gcs_snapshot_set_gathered(to, s->space, gcs_snapshot_gathered(from, s->source));
}

/* The newest state with a reference, or NULL. */
static struct gcs_snapshot *latest(
    struct native_heap *n, struct native_space *spaces, uint32_t *count)
{
	pthread_mutex_lock(&n->lock);
	struct gcs_snapshot *from = n->latest == NULL ? NULL : gcs_snapshot_ref(n->latest);
	if (spaces != NULL) {
		*count = n->space_count;
		memcpy(spaces, n->spaces, n->space_count * sizeof *spaces);
	}
	pthread_mutex_unlock(&n->lock);
	return from;
}

bool native_heap_map(
    struct native_heap *n, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot)
{
	struct native_space spaces[NATIVE_SPACES];
	uint32_t count;
	struct gcs_snapshot *from = n == NULL ? NULL : latest(n, spaces, &count);
	bool good = true;
	for (uint32_t i = 0; from != NULL && good && i < count; i++)
		if (spaces[i].source != GCS_NONE &&
		    gcs_server_wants_space(n->server, ticket, spaces[i].space))
			good = copy_space(from, &spaces[i], snapshot);
	gcs_snapshot_unref(from);
	return good;
}

void native_heap_attributes(struct native_heap *n, struct gcs_snapshot *snapshot)
{
	struct gcs_snapshot *from = latest(n, NULL, NULL);
	int64_t value;
	if (from != NULL && gcs_snapshot_occurrence(from)->event == n->update)
		for (uint32_t i = 0; i < n->model->events[n->update].attribute_count; i++)
			if (gcs_snapshot_number(from, i, &value))
				gcs_snapshot_set_number(snapshot, i, value);
	gcs_snapshot_unref(from);
}
