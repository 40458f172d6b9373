#include "threads.h"

#include <pthread.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/model.h>

/* An open hash table with linear probing; a power of two of slots, at most half full. A pointer of
 * 0 is a free slot. */
struct entry {
	uint64_t thread;
	char *name;
};

struct threads {
	pthread_mutex_t lock;
	struct entry *entries;
	size_t capacity;
	size_t count;
	bool enumerating;
	uint64_t *ended; /* since the enumeration began */
	size_t ended_count;
	size_t ended_capacity;
	bool ended_lost; /* some could not be noted: add nothing more by enumeration */
};

enum { FIRST_CAPACITY = 64, MAX_THREADS = 65536 };

struct threads *threads_create(void)
{
	struct threads *t = gcs_zalloc(sizeof *t);
	if (t != NULL && pthread_mutex_init(&t->lock, NULL) != 0) {
		gcs_free(t);
		t = NULL;
	}
	return t;
}

static size_t slot_of(const struct threads *t, uint64_t thread)
{
	uint64_t hash = (thread >> 4) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (t->capacity - 1);
	while (t->entries[i].thread != 0 && t->entries[i].thread != thread)
		i = (i + 1) & (t->capacity - 1);
	return i;
}

static bool grow(struct threads *t)
{
	struct entry *old = t->entries;
	size_t old_capacity = t->capacity;
	size_t capacity = old_capacity == 0 ? FIRST_CAPACITY : 2 * old_capacity;
	struct entry *entries = gcs_zalloc(capacity * sizeof *entries);
	if (entries == NULL)
		return false;
	t->entries = entries;
	t->capacity = capacity;
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i].thread != 0)
			entries[slot_of(t, old[i].thread)] = old[i];
	gcs_free(old);
	return true;
}

/* With the lock held. */
static void put(struct threads *t, uint64_t thread, const char *name)
{
	char copy[GCS_MAX_NAME + 1] = "";
	strncat(copy, name == NULL ? "" : name, sizeof copy - 1);
	if (thread == 0 || t->count >= MAX_THREADS ||
	    (2 * (t->count + 1) > t->capacity && !grow(t)))
		return;
	struct entry *e = &t->entries[slot_of(t, thread)];
	t->count += e->thread == 0;
	gcs_free(e->name);
	*e = (struct entry){.thread = thread, .name = gcs_strdup(copy)};
}

/* Takes the entry out and moves those behind it that it had pushed away. With the lock held. */
static void take_out(struct threads *t, uint64_t thread)
{
	if (t->capacity == 0)
		return;
	size_t i = slot_of(t, thread);
	if (t->entries[i].thread == 0)
		return;
	gcs_free(t->entries[i].name);
	t->entries[i] = (struct entry){0};
	t->count--;
	for (size_t k = (i + 1) & (t->capacity - 1); t->entries[k].thread != 0;
	     k = (k + 1) & (t->capacity - 1)) {
		struct entry moved = t->entries[k];
		t->entries[k] = (struct entry){0};
		t->entries[slot_of(t, moved.thread)] = moved;
	}
}

void threads_add(struct threads *t, uint64_t thread, const char *name)
{
	pthread_mutex_lock(&t->lock);
	put(t, thread, name);
	pthread_mutex_unlock(&t->lock);
}

static void note_end(struct threads *t, uint64_t thread)
{
	if (t->ended_count == t->ended_capacity) {
		size_t capacity = t->ended_capacity == 0 ? FIRST_CAPACITY : 2 * t->ended_capacity;
		uint64_t *bigger = capacity > MAX_THREADS
				       ? NULL
				       : gcs_realloc(t->ended, capacity * sizeof *bigger);
		if (bigger == NULL) {
			t->ended_lost = true;
			return;
		}
		t->ended = bigger;
		t->ended_capacity = capacity;
	}
	t->ended[t->ended_count++] = thread;
}

void threads_remove(struct threads *t, uint64_t thread)
{
	pthread_mutex_lock(&t->lock);
	take_out(t, thread);
	if (t->enumerating)
		note_end(t, thread);
	pthread_mutex_unlock(&t->lock);
}

void threads_enumerate_begin(struct threads *t)
{
	pthread_mutex_lock(&t->lock);
	t->enumerating = true;
	t->ended_count = 0;
	t->ended_lost = false;
	pthread_mutex_unlock(&t->lock);
}

void threads_found(struct threads *t, uint64_t thread, const char *name)
{
	pthread_mutex_lock(&t->lock);
	bool gone = t->ended_lost;
	for (size_t i = 0; !gone && i < t->ended_count; i++)
		gone = t->ended[i] == thread;
	if (!gone)
		put(t, thread, name);
	pthread_mutex_unlock(&t->lock);
}

void threads_enumerate_end(struct threads *t)
{
	pthread_mutex_lock(&t->lock);
	t->enumerating = false;
	gcs_free(t->ended);
	t->ended = NULL;
	t->ended_count = t->ended_capacity = 0;
	pthread_mutex_unlock(&t->lock);
}

/* With the lock held. */
static void forget(struct threads *t)
{
	for (size_t i = 0; i < t->capacity; i++)
		gcs_free(t->entries[i].name);
	gcs_free(t->entries);
	t->entries = NULL;
	t->capacity = t->count = 0;
}

void threads_clear(struct threads *t)
{
	pthread_mutex_lock(&t->lock);
	forget(t);
	pthread_mutex_unlock(&t->lock);
}

void threads_destroy(struct threads *t)
{
	if (t == NULL)
		return;
	forget(t);
	gcs_free(t->ended);
	pthread_mutex_destroy(&t->lock);
	gcs_free(t);
}

bool threads_name(struct threads *t, uint64_t thread, char *buffer, size_t size)
{
	bool known = false;
	buffer[0] = '\0';
	pthread_mutex_lock(&t->lock);
	if (t->capacity != 0) {
		const struct entry *e = &t->entries[slot_of(t, thread)];
		known = e->thread != 0;
		if (known && e->name != NULL)
			strncat(buffer, e->name, size - 1);
	}
	pthread_mutex_unlock(&t->lock);
	return known;
}

void threads_visit(struct threads *t, bool (*visit)(void *context, uint64_t thread), void *context)
{
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->capacity; i++)
		if (t->entries[i].thread != 0 && !visit(context, t->entries[i].thread))
			break;
	pthread_mutex_unlock(&t->lock);
}
