#include "buffer_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <gcspy/memory.h>

#include "hash.h"

enum { BUCKETS = 16, LOOKS = 4 };

struct spare {
	struct spare *next;
	size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint readers; /* changed under the lock, but read without it */
static struct spare *buckets[BUCKETS];
static size_t kept;

static struct spare **bucket_of(size_t bytes)
{
	return &buckets[hash_mix(bytes) % BUCKETS];
}

void buffer_pool_open(void)
{
	pthread_mutex_lock(&lock);
	atomic_fetch_add(&readers, 1);
	pthread_mutex_unlock(&lock);
}

/* Takes out all blocks. */
static struct spare *empty(void)
{
	struct spare *all = NULL;
	for (int i = 0; i < BUCKETS; i++) {
		while (buckets[i] != NULL) {
			struct spare *s = buckets[i];
			buckets[i] = s->next;
			s->next = all;
			all = s;
		}
	}
	kept = 0;
	return all;
}

void buffer_pool_close(void)
{
	pthread_mutex_lock(&lock);
	const bool last = atomic_fetch_sub(&readers, 1) == 1;
	struct spare *all = last ? empty() : NULL;
	pthread_mutex_unlock(&lock);
	while (all != NULL) {
		struct spare *next = all->next;
		gcs_free(all);
		all = next;
	}
}

void *buffer_pool_take(size_t bytes)
{
	if (bytes < BUFFER_POOL_LEAST || atomic_load(&readers) == 0)
		return NULL;
	struct spare *found = NULL;
	pthread_mutex_lock(&lock);
	struct spare **at = bucket_of(bytes);
	for (int i = 0; i < LOOKS && *at != NULL && found == NULL; i++) {
		if ((*at)->bytes == bytes) {
			found = *at;
			*at = found->next;
			kept -= bytes;
		} else {
			at = &(*at)->next;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void buffer_pool_give(void *block, size_t bytes)
{
	bool keep = false;
	if (bytes >= BUFFER_POOL_LEAST && atomic_load(&readers) != 0) {
		pthread_mutex_lock(&lock);
		keep = atomic_load(&readers) != 0 && kept + bytes <= BUFFER_POOL_MOST;
		if (keep) {
			struct spare **at = bucket_of(bytes);
			struct spare *s = block;
			*s = (struct spare){.next = *at, .bytes = bytes};
			*at = s;
			kept += bytes;
		}
		pthread_mutex_unlock(&lock);
	}
	if (!keep)
		gcs_free(block);
}
