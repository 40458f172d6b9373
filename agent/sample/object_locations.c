#include "object_locations_internal.h"

#include <math.h>
#include <string.h>

#include <gcspy/memory.h>

#include "streams.h"

struct object_locations *object_locations_create(struct sampler *sampler, const struct vm *vm,
    const struct heap_driver *driver, const void *heap)
{
	struct object_locations *p = gcs_zalloc(sizeof *p);
	const enum vm_collector collector = vm_collector(vm);
	if (p == NULL)
		return NULL;
	p->sampler = sampler;
	p->vm = vm;
	p->driver = driver;
	p->heap = heap;
	p->concurrent = collector == VM_COLLECTOR_ZGC || collector == VM_COLLECTOR_SHENANDOAH;
	p->raw = driver == NULL ? NULL : gcs_zalloc(driver->raw_bytes(heap));
	if (driver != NULL && p->raw == NULL) {
		gcs_free(p);
		return NULL;
	}
	return p;
}

void object_locations_destroy(struct object_locations *p)
{
	if (p == NULL)
		return;
	gcs_free(p->addresses);
	gcs_free(p->variances);
	gcs_free(p->raw);
	gcs_free(p);
}

void object_locations_move(struct object_locations *p, bool begins)
{
	/* A finish without a start, as right after attaching, changes nothing. */
	if (p != NULL && (atomic_load_explicit(&p->epoch, memory_order_relaxed) & 1) != begins) {
		atomic_fetch_add(&p->epoch, 1);
		atomic_thread_fence(memory_order_release);
	}
}

uint32_t object_locations_epoch(const struct object_locations *p)
{
	return p == NULL ? 0 : atomic_load(&p->epoch);
}

bool object_locations_settled(const struct object_locations *p, uint32_t epoch)
{
	atomic_thread_fence(memory_order_acquire);
	return (epoch & 1) == 0 && atomic_load(&p->epoch) == epoch;
}

static bool reserve(struct object_locations *p, uint32_t count)
{
	if (count <= p->address_capacity)
		return true;
	const uint32_t capacity = count + count / 2;
	struct sample_address *addresses = gcs_realloc(p->addresses, capacity * sizeof *addresses);
	if (addresses == NULL)
		return false;
	p->addresses = addresses;
	p->address_capacity = capacity;
	return true;
}

/* Reads the addresses of all samples that have survived a collection; false without memory. */
static bool read_addresses(struct object_locations *p, uint32_t *count)
{
	uint32_t tracked;
	*count = 0;
	const struct sample_store *t =
	    sampler_interval(p->sampler) == 0 ? NULL : sampler_lock(p->sampler);
	if (t == NULL)
		return true;
	const struct tracked *live = sample_store_live(t, &tracked);
	const bool room = reserve(p, tracked);
	const struct judgement now = sampler_judgement(p->sampler);
	for (uint32_t i = 0; room && i < tracked; i++) {
		const uint64_t address = sampler_has_survived(p->sampler, &now, &live[i])
					     ? sampler_position(p->sampler, &live[i]).address
					     : 0;
		const struct estimate one = tracked_estimate(&live[i]);
		if (address != 0)
			p->addresses[(*count)++] = (struct sample_address){
			    address, live[i].size, one.bytes, one.bytes_variance};
	}
	sampler_unlock(p->sampler);
	return room;
}

/* The tile of an address, or GCS_NONE. Tiles are in address order and mostly of equal size, so that
 * a guess from the size of the first one is right. */
static uint32_t tile_of(const int64_t *starts, const int64_t *ends, uint32_t tiles, int64_t address)
{
	const int64_t first = ends[0] - starts[0];
	const int64_t guess = first <= 0 ? 0 : (address - starts[0]) / first;
	uint32_t low = 0, high = tiles;
	if (address < starts[0] || address >= ends[tiles - 1])
		return GCS_NONE;
	if (guess < tiles && starts[guess] <= address && address < ends[guess])
		return (uint32_t)guess;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (address < starts[middle])
			high = middle;
		else if (address >= ends[middle])
			low = middle + 1;
		else
			return middle;
	}
	return GCS_NONE;
}

static bool is_zero(const int64_t *values, uint32_t tiles)
{
	int64_t any = 0;
	for (uint32_t i = 0; values != NULL && i < tiles; i++)
		any |= values[i];
	return any == 0;
}

/* The tiles of a space that are filled. */
struct sampled_tiles {
	const int64_t *starts, *ends;
	uint32_t tiles;
	int64_t *values, *errors;
	double *variances;
	bool all;         /* every object is in this space */
	double elsewhere; /* estimate of what has no tile */
	double variance;  /* of the total */
};

/* Adds an object to the tiles that it covers. A concurrent collector may have moved it since the
 * pause, to memory that was not in use then and has no tile: it counts in the total. */
static void add_object(struct sampled_tiles *t, const struct sample_address *object)
{
	const int64_t end = (int64_t)(object->address + object->size);
	int64_t at = (int64_t)object->address;
	double covered = 0;
	for (uint32_t tile = tile_of(t->starts, t->ends, t->tiles, at);
	     tile < t->tiles && at < end && t->starts[tile] <= at; tile++) {
		const int64_t next = t->ends[tile] < end ? t->ends[tile] : end;
		const double share = (double)(next - at) / (double)object->size;
		t->values[tile] += (int64_t)(object->bytes * share + 0.5);
		t->variances[tile] += object->variance * share * share;
		covered += share;
		at = next;
	}
	if (t->all) {
		t->elsewhere += object->bytes * (1 - covered);
		covered = 1;
	}
	t->variance += object->variance * covered * covered;
}

/* Half the width of the interval that has the true value in 95 % of cases. */
static int64_t error_of(double variance)
{
	const double error = 1.96 * sqrt(variance) + 0.5;
	return error < (double)INT64_MAX ? (int64_t)error : INT64_MAX;
}

/* An estimate may be more than what is there. */
static void limit_to_used(int64_t *values, const int64_t *used, uint32_t tiles)
{
	for (uint32_t i = 0; used != NULL && i < tiles; i++)
		if (values[i] > used[i])
			values[i] = used[i];
}

/* The sum of the estimates, at most what is in use. */
static int64_t limit_total(const struct sampled_tiles *t, const int64_t *used)
{
	int64_t sum = (int64_t)t->elsewhere, limit = 0;
	for (uint32_t i = 0; i < t->tiles; i++) {
		sum += t->values[i];
		limit += used == NULL ? 0 : used[i];
	}
	return used != NULL && sum > limit ? limit : sum;
}

static bool reserve_variances(struct object_locations *p, uint32_t tiles)
{
	if (tiles > p->variance_capacity) {
		double *variances = gcs_realloc(p->variances, tiles * sizeof *variances);
		if (variances == NULL)
			return false;
		p->variances = variances;
		p->variance_capacity = tiles;
	}
	memset(p->variances, 0, tiles * sizeof *p->variances);
	return true;
}

static bool open_tiles(struct object_locations *p, struct gcs_snapshot *s, uint32_t space,
    uint32_t stream, struct sampled_tiles *t)
{
	const uint32_t error = gcs_snapshot_model(s)->spaces[space].streams[stream].error_stream;
	t->values = gcs_snapshot_write(s, space, stream);
	t->errors = gcs_snapshot_write(s, space, error);
	if (t->values == NULL || t->errors == NULL || !reserve_variances(p, t->tiles))
		return false;
	t->variances = p->variances;
	memset(t->values, 0, t->tiles * sizeof *t->values);
	return true;
}

static bool set_totals(
    struct gcs_snapshot *s, uint32_t space, uint32_t stream, int64_t total, int64_t error)
{
	const uint32_t id = gcs_snapshot_model(s)->spaces[space].streams[stream].error_stream;
	return gcs_snapshot_set_summary(s, space, stream, 1, &total) &&
	       gcs_snapshot_set_summary(s, space, id, 1, &error);
}

static bool map_space(struct object_locations *p, uint32_t count, struct gcs_snapshot *s,
    uint32_t space, uint32_t stream)
{
	const struct gcs_space *description = &gcs_snapshot_model(s)->spaces[space];
	const uint32_t used = gcs_space_find_stream(description, "Used");
	struct sampled_tiles t = {
	    .tiles = gcs_snapshot_tiles(s, space),
	    .starts =
		gcs_snapshot_values(s, space, gcs_space_role(description, GCS_ROLE_RANGE_START)),
	    .ends = gcs_snapshot_values(s, space, gcs_space_role(description, GCS_ROLE_RANGE_END)),
	    .all = p->concurrent,
	};
	if (t.tiles == 0 || t.starts == NULL || t.ends == NULL)
		return true;
	if (count == 0 && is_zero(gcs_snapshot_values(s, space, stream), t.tiles) &&
	    is_zero(gcs_snapshot_errors(s, space, stream), t.tiles))
		return set_totals(s, space, stream, 0, 0);
	if (!open_tiles(p, s, space, stream, &t))
		return false;
	for (uint32_t i = 0; i < count; i++)
		add_object(&t, &p->addresses[i]);
	/* What does not fit into a tile is elsewhere, and is alive all the same. */
	const int64_t total = limit_total(&t, gcs_snapshot_values(s, space, used));
	limit_to_used(t.values, gcs_snapshot_values(s, space, used), t.tiles);
	for (uint32_t i = 0; i < t.tiles; i++)
		t.errors[i] = error_of(t.variances[i]);
	return set_totals(s, space, stream, total, error_of(t.variance));
}

/* While objects move the values of an earlier event stay, as far as there is so much in use now. */
static bool limit_space(struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	const uint32_t used = gcs_space_find_stream(&gcs_snapshot_model(s)->spaces[space], "Used");
	const uint32_t tiles = gcs_snapshot_tiles(s, space);
	int64_t *values = gcs_snapshot_write(s, space, stream);
	uint32_t count = 0;
	const int64_t *before = gcs_snapshot_summary(s, space, stream, &count);
	int64_t total = count == 0 ? 0 : before[0];
	if (values == NULL)
		return tiles == 0;
	for (uint32_t i = 0; i < tiles; i++)
		total -= values[i];
	limit_to_used(values, gcs_snapshot_values(s, space, used), tiles);
	for (uint32_t i = 0; i < tiles; i++)
		total += values[i];
	return gcs_snapshot_set_summary(s, space, stream, 1, &total);
}

bool object_locations_map(struct object_locations *p, uint32_t epoch, struct gcs_server *server,
    const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	uint32_t count = 0;
	bool ok = true;
	if (p == NULL || !vm_has(p->vm, VM_WEAK_POSITIONS))
		return true;
	bool settled = p->concurrent || object_locations_settled(p, epoch);
	if (settled && !read_addresses(p, &count))
		return false;
	settled = settled && (p->concurrent || object_locations_settled(p, epoch));
	for (uint32_t i = 0; i < model->space_count; i++) {
		const uint32_t stream =
		    gcs_space_find_stream(&model->spaces[i], STREAM_SAMPLED_NAME);
		if (stream != GCS_NONE && !model->spaces[i].gone &&
		    gcs_server_wants_space(server, ticket, i))
			ok = (settled ? map_space(p, count, snapshot, i, stream)
				      : limit_space(snapshot, i, stream)) &&
			     ok;
	}
	return ok;
}
