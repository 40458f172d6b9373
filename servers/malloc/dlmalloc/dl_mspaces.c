#include "dl_mspaces.h"

#include <pthread.h>
#include <string.h>

#include "dl_allocator.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *list[DLMALLOC_MSPACES];
static uint64_t numbers[DLMALLOC_MSPACES], created;
static uint32_t count;

uint32_t mspaces_list(struct dlmalloc_mspace *mspaces, uint32_t room)
{
	pthread_mutex_lock(&lock);
	const uint32_t listed = count < room ? count : room;
	for (uint32_t i = 0; i < listed; i++) {
		allocator_mspace_state(list[i], &mspaces[i]);
		mspaces[i].number = numbers[i];
	}
	pthread_mutex_unlock(&lock);
	return listed;
}

void *mspaces_create(size_t capacity)
{
	void *mspace = NULL;
	pthread_mutex_lock(&lock);
	if (count < DLMALLOC_MSPACES && (mspace = create_mspace(capacity, 1)) != NULL) {
		numbers[count] = ++created;
		list[count++] = mspace;
	}
	pthread_mutex_unlock(&lock);
	return mspace;
}

size_t mspaces_destroy(void *mspace)
{
	size_t freed = 0;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == mspace) {
			count--;
			memmove(&list[i], &list[i + 1], (count - i) * sizeof list[0]);
			memmove(&numbers[i], &numbers[i + 1], (count - i) * sizeof numbers[0]);
			freed = destroy_mspace(mspace);
			break;
		}
	pthread_mutex_unlock(&lock);
	return freed;
}

void mspaces_fork_begins(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < count; i++)
		allocator_mspace_fork_begins(list[i]);
}

void mspaces_fork_ends(bool child)
{
	for (uint32_t i = 0; i < count; i++)
		allocator_mspace_fork_ends(list[i], child);
	if (child)
		pthread_mutex_init(&lock, NULL);
	else
		pthread_mutex_unlock(&lock);
}
