#include "threads.h"

#include <pthread.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/model.h>

#include "hash.h"

struct thread {
	struct thread_ref ref;
	char *name; /* or NULL */
};

/* Found by their VM pointer; in no order. */
struct threads {
	pthread_mutex_t lock;
	struct hash_table index; /* of `items` */
	struct thread *items;
	size_t capacity;
	size_t count;
	uint64_t added; /* threads so far */
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

static bool grow(struct threads *t)
{
	size_t capacity = t->capacity == 0 ? FIRST_CAPACITY : 2 * t->capacity;
	struct thread *items = gcs_realloc(t->items, capacity * sizeof *items);
	if (items == NULL)
		return false;
	t->items = items;
	t->capacity = capacity;
	return true;
}

/* With the lock held. */
static void put(struct threads *t, uint64_t thread, const char *name)
{
	char copy[GCS_MAX_NAME + 1] = "";
	strncat(copy, name == NULL ? "" : name, sizeof copy - 1);
	uint64_t i = hash_get(&t->index, thread);
	if (i == HASH_NONE) {
		if (thread == 0 || t->count >= MAX_THREADS ||
		    (t->count == t->capacity && !grow(t)) || !hash_put(&t->index, thread, t->count))
			return;
		i = t->count++;
		t->items[i] = (struct thread){.ref = {thread, ++t->added}};
	}
	gcs_free(t->items[i].name);
	t->items[i].name = gcs_strdup(copy);
}

/* The last one takes its place. With the lock held. */
static void take_out(struct threads *t, uint64_t thread)
{
	const uint64_t i = hash_remove(&t->index, thread);
	if (i == HASH_NONE)
		return;
	gcs_free(t->items[i].name);
	const struct thread last = t->items[--t->count];
	if (last.ref.thread == thread)
		return;
	t->items[i] = last;
	(void)hash_remove(&t->index, last.ref.thread);
	(void)hash_put(&t->index, last.ref.thread, i);
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
	for (size_t i = 0; i < t->count; i++)
		gcs_free(t->items[i].name);
	gcs_free(t->items);
	t->items = NULL;
	t->capacity = t->count = 0;
	hash_fini(&t->index);
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
	buffer[0] = '\0';
	pthread_mutex_lock(&t->lock);
	const uint64_t i = hash_get(&t->index, thread);
	const bool known = i != HASH_NONE;
	if (known && t->items[i].name != NULL)
		strncat(buffer, t->items[i].name, size - 1);
	pthread_mutex_unlock(&t->lock);
	return known;
}

size_t threads_list(struct threads *t, struct thread_ref *list, size_t capacity)
{
	pthread_mutex_lock(&t->lock);
	const size_t count = t->count;
	for (size_t i = 0; i < count && i < capacity; i++)
		list[i] = t->items[i].ref;
	pthread_mutex_unlock(&t->lock);
	return count;
}

bool threads_listed(struct threads *t, const struct thread_ref *ref)
{
	pthread_mutex_lock(&t->lock);
	const uint64_t i = hash_get(&t->index, ref->thread);
	const bool listed = i != HASH_NONE && t->items[i].ref.number == ref->number;
	pthread_mutex_unlock(&t->lock);
	return listed;
}
