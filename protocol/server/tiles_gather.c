/*
 * Bringing a snapshot up to date from marks.
 *
 * A column is immutable once it is shared, and copying one for each event would cost as much as the
 * space is large. So each stream has a few columns that take turns. Of each it is known in which groups
 * of tiles it is older than the newest column (`stale`): these are copied, then the touched tiles are
 * read. The groups that have changed are the column's map, by which snapshot_settle and the sessions'
 * encoders pass over all others.
 */
#include "tiles_internal.h"

#include <string.h>

#include "thread.h"

enum { GROUP = GCS_CHANGED_TILES };

/* Times that a gathering begins again because of a resize. */
enum { TRIES = 4 };

/* What is gathered: a copy of the tiles' numbering, so that no lock is held over a callback. */
struct pass {
	struct gcs_tiles *tiles;
	struct gcs_snapshot *snapshot;
	struct space_state *state;
	uint32_t count;     /* tiles */
	uint64_t numbering; /* that count belongs to */
	bool whole;         /* everything is read */
	uint32_t resize_count;
	struct resize resizes[TILES_RESIZES];
};

void tiles_drop_buffers(struct gcs_tiles *t)
{
	for (uint32_t k = 0; k < t->options.streams; k++)
		for (uint32_t i = 0; i < TILES_BUFFERS; i++) {
			column_unref(t->streams[k].buffers[i].column);
			t->streams[k].buffers[i].column = NULL;
		}
}

void tiles_forget(struct gcs_tiles *t)
{
	pthread_mutex_init(&t->lock, NULL);
	t->in_step = false;
	for (uint32_t k = 0; k < t->options.streams; k++) {
		t->streams[k].newest = NULL;
		for (uint32_t i = 0; i < TILES_BUFFERS; i++)
			t->streams[k].buffers[i].column = NULL;
	}
}

/* True if the snapshot has what was gathered last: the same columns, or such as snapshot_settle has put
 * in their places because they were equal. */
static bool continues(const struct gcs_tiles *t, const struct space_state *state)
{
	if (!t->in_step || state->tiles != t->gathered)
		return false;
	for (uint32_t k = 0; k < state->stream_count; k++)
		if (!column_equal(state->columns[k], t->streams[k].newest))
			return false;
	return true;
}

static void begin_pass(struct pass *p)
{
	struct gcs_tiles *t = p->tiles;
	pthread_mutex_lock(&t->lock);
	p->count = t->tiles;
	p->numbering = t->numbering;
	p->whole = t->resize_lost || !continues(t, p->state);
	p->resize_count = t->resize_count;
	memcpy(p->resizes, t->resizes, t->resize_count * sizeof t->resizes[0]);
	t->resize_count = 0;
	t->resize_lost = false;
	tiles_take(t);
	pthread_mutex_unlock(&t->lock);
	t->in_step = false;
	if (t->options.lock_free && !t->fenced)
		thread_barrier(); /* see set_marks */
}

static bool apply_resizes(struct pass *p)
{
	const uint32_t space = p->tiles->options.space;
	if (p->whole)
		return gcs_snapshot_resize(p->snapshot, space, p->count);
	return snapshot_edit_tiles(p->snapshot, space, p->resizes, p->resize_count);
}

/* The buffer to write: the newest one that no snapshot has, or else an empty one, or else the oldest,
 * which is given up. */
static struct tile_buffer *choose_buffer(struct tile_stream *stream)
{
	struct tile_buffer *free = NULL, *empty = NULL, *oldest = NULL;
	for (uint32_t i = 0; i < TILES_BUFFERS; i++) {
		struct tile_buffer *b = &stream->buffers[i];
		if (b->column == NULL) {
			empty = b;
			continue;
		}
		if (oldest == NULL || b->used < oldest->used)
			oldest = b;
		/* Acquires what the last reader did before it dropped its reference. */
		if (atomic_load(&b->column->references) == 1 &&
		    (free == NULL || b->used > free->used))
			free = b;
	}
	if (free != NULL || empty != NULL)
		return free != NULL ? free : empty;
	column_unref(oldest->column);
	oldest->column = NULL;
	return oldest;
}

/* A buffer that is up to date but for what has been touched; NULL without memory. After a resize that
 * is the snapshot's column itself: nothing else has it yet. */
static struct tile_buffer *fresh_buffer(
    const struct pass *p, struct tile_stream *stream, struct column *newest)
{
	const uint32_t map_words = column_map_words(p->count);
	struct tile_buffer *b = choose_buffer(stream);
	if (b->column == NULL && newest->map_words == map_words &&
	    atomic_load(&newest->references) == 1) {
		b->column = column_ref(newest);
		newest->base = 0;
		memset(column_map(newest), 0, map_words * sizeof(uint64_t));
		memset(b->stale, 0, map_words * sizeof(uint64_t));
		return b;
	}
	if (b->column == NULL) {
		b->column = column_new(p->count, map_words);
		if (b->column == NULL)
			return NULL;
		memcpy(b->column->values, newest->values, p->count * sizeof newest->values[0]);
	} else {
		column_copy_changed(b->column, newest, b->stale);
		memset(column_map(b->column), 0, map_words * sizeof(uint64_t));
	}
	memset(b->stale, 0, map_words * sizeof(uint64_t));
	return b;
}

/* Reads a run of tiles, and sets the map's bits of the groups that change. */
static void read_run(
    const struct pass *p, uint32_t stream, uint32_t first, uint32_t end, struct column *c)
{
	const struct gcs_tiles_options *o = &p->tiles->options;
	int64_t *before = p->tiles->before, *values = c->values + first;
	uint64_t *map = column_map(c);
	const uint32_t count = end - first;
	if (count == 1) { /* usual, and no work for memcpy */
		const int64_t was = *values;
		o->read(o->context, stream, first, 1, values);
		map[first / GROUP / TILES_WORD] |= (uint64_t)(*values != was)
						   << first / GROUP % TILES_WORD;
		return;
	}
	memcpy(before, values, count * sizeof before[0]);
	o->read(o->context, stream, first, count, values);
	for (uint32_t i = 0; i < count;) {
		const uint32_t group = (first + i) / GROUP;
		const uint32_t rest = (group + 1) * GROUP - first;
		const uint32_t stop = rest < count ? rest : count;
		int64_t differ = 0;
		for (; i < stop; i++)
			differ |= values[i] ^ before[i];
		map[group / TILES_WORD] |= (uint64_t)(differ != 0) << group % TILES_WORD;
	}
}

/* Fetches what read_run will write, so that the misses of many tiles overlap. */
static void prefetch(const struct pass *p, const uint64_t *head, const uint64_t *marks, int64_t *to)
{
	for (uint32_t h = 0; h < tiles_heads(p->count); h++)
		for (uint64_t words = head[h]; words != 0; words &= words - 1) {
			const uint32_t w = h * TILES_WORD + (uint32_t)__builtin_ctzll(words);
			for (uint64_t left = marks[w]; left != 0; left &= left - 1)
				__builtin_prefetch(
				    to + w * TILES_WORD + (uint32_t)__builtin_ctzll(left), 1);
		}
}

/* Reads the runs of tiles whose bits are set. */
static void read_tiles(const struct pass *p, uint32_t stream, const uint64_t *head,
    const uint64_t *marks, struct column *c)
{
	uint32_t first = 0, end = 0; /* of the run so far */
	for (uint32_t h = 0; h < tiles_heads(p->count); h++)
		for (uint64_t words = head[h]; words != 0; words &= words - 1) {
			const uint32_t w = h * TILES_WORD + (uint32_t)__builtin_ctzll(words);
			for (uint64_t left = marks[w]; left != 0;) {
				const uint32_t from = (uint32_t)__builtin_ctzll(left);
				const uint64_t rest = ~(left >> from);
				const uint32_t length =
				    rest == 0 ? TILES_WORD : (uint32_t)__builtin_ctzll(rest);
				left = from + length >= TILES_WORD
					   ? 0
					   : left >> (from + length) << (from + length);
				if (w * TILES_WORD + from != end && first != end)
					read_run(p, stream, first, end, c);
				if (w * TILES_WORD + from != end)
					first = w * TILES_WORD + from;
				end = w * TILES_WORD + from + length;
			}
		}
	if (first != end)
		read_run(p, stream, first, end, c);
}

/* Completes the marks of a stream: all for a whole pass, and none beyond the last tile. */
static void trim_marks(const struct pass *p, uint64_t *head, uint64_t *marks)
{
	const uint32_t words = (p->count + TILES_WORD - 1) / TILES_WORD;
	for (uint32_t w = 0; p->whole && w < words; w++) {
		marks[w] = UINT64_MAX;
		head[w / TILES_WORD] |= (uint64_t)1 << w % TILES_WORD;
	}
	for (uint32_t h = 0; h < tiles_heads(p->count); h++)
		for (uint64_t left = head[h]; left != 0; left &= left - 1) {
			const uint32_t w = h * TILES_WORD + (uint32_t)__builtin_ctzll(left);
			if (w >= words)
				marks[w] = 0;
			else if (w == words - 1 && p->count % TILES_WORD != 0)
				marks[w] &= UINT64_MAX >> (TILES_WORD - p->count % TILES_WORD);
			if (marks[w] == 0)
				head[h] &= ~((uint64_t)1 << w % TILES_WORD);
		}
}

static bool any_bit(const uint64_t *words, uint32_t count)
{
	uint64_t any = 0;
	for (uint32_t w = 0; w < count; w++)
		any |= words[w];
	return any != 0;
}

static bool gather_stream(struct pass *p, uint32_t k)
{
	struct gcs_tiles *t = p->tiles;
	struct tile_stream *stream = &t->streams[k];
	uint64_t *marks = t->taken + (size_t)k * t->words;
	uint64_t *head = t->taken_head + (size_t)k * t->heads;
	struct column *before = p->state->columns[k];
	trim_marks(p, head, marks);
	if (!any_bit(head, tiles_heads(p->count)))
		return true;
	struct tile_buffer *b = fresh_buffer(p, stream, before);
	if (b == NULL)
		return false;
	if (!p->whole)
		prefetch(p, head, marks, b->column->values);
	read_tiles(p, k, head, marks, b->column);
	const uint64_t *map = column_map(b->column);
	if (!any_bit(map, b->column->map_words))
		return true;
	column_renew(b->column);
	b->used = ++stream->changes;
	b->column->base = b->column == before ? 0 : before->id;
	for (uint32_t i = 0; i < TILES_BUFFERS; i++)
		for (uint32_t w = 0; &stream->buffers[i] != b && w < b->column->map_words; w++)
			stream->buffers[i].stale[w] |= map[w];
	p->state->columns[k] = column_ref(b->column);
	column_unref(before);
	return true;
}

/* Names the tiles that are marked. */
static bool gather_names(struct pass *p)
{
	struct gcs_tiles *t = p->tiles;
	const struct gcs_tiles_options *o = &t->options;
	uint64_t *marks = t->taken + (size_t)o->streams * t->words;
	uint64_t *head = t->taken_head + (size_t)o->streams * t->heads;
	char name[GCS_MAX_NAME + 1];
	trim_marks(p, head, marks);
	for (uint32_t h = 0; h < tiles_heads(p->count); h++)
		for (uint64_t words = head[h]; words != 0; words &= words - 1) {
			const uint32_t w = h * TILES_WORD + (uint32_t)__builtin_ctzll(words);
			for (uint64_t left = marks[w]; left != 0; left &= left - 1) {
				const uint32_t tile =
				    w * TILES_WORD + (uint32_t)__builtin_ctzll(left);
				name[0] = '\0';
				o->name(o->context, tile, name, sizeof name);
				if (!gcs_snapshot_set_name(p->snapshot, o->space, tile, name))
					return false;
			}
		}
	return true;
}

/* The end of a pass: false if tiles were renumbered meanwhile. */
static bool end_pass(struct pass *p)
{
	struct gcs_tiles *t = p->tiles;
	pthread_mutex_lock(&t->lock);
	const bool same = p->numbering == t->numbering;
	pthread_mutex_unlock(&t->lock);
	if (!same)
		return false;
	for (uint32_t k = 0; k < p->state->stream_count; k++) {
		column_unref(t->streams[k].newest);
		t->streams[k].newest =
		    p->state->columns[k] == NULL ? NULL : column_ref(p->state->columns[k]);
	}
	t->gathered = p->count;
	t->in_step = true;
	return true;
}

bool tiles_gather(struct gcs_tiles *t, struct gcs_snapshot *snapshot)
{
	struct pass p = {.tiles = t, .snapshot = snapshot};
	if (t->options.space >= snapshot->space_count)
		return false;
	if (snapshot_state(snapshot, t->options.space) == NULL)
		return true; /* withdrawn */
	p.state = &snapshot->spaces[t->options.space];
	if (p.state->stream_count != t->options.streams)
		return false;
	for (int i = 0; i < TRIES; i++) {
		begin_pass(&p);
		if (p.whole || p.resize_count != 0)
			tiles_drop_buffers(
			    t); /* of another size, or perhaps older than their maps say */
		bool ok = apply_resizes(&p);
		for (uint32_t k = 0; ok && p.count != 0 && k < p.state->stream_count; k++)
			ok = gather_stream(&p, k);
		if (ok && p.count != 0 && t->options.name != NULL)
			ok = gather_names(&p);
		if (!ok)
			return false;
		if (end_pass(&p))
			return gcs_snapshot_set_gathered(snapshot, t->options.space, true);
	}
	return false;
}

bool gcs_tiles_gather(struct gcs_tiles *t, struct gcs_server *server,
    const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot)
{
	return !gcs_server_wants_space(server, ticket, t->options.space) ||
	       tiles_gather(t, snapshot);
}
