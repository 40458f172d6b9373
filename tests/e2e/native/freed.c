/*
 * Preloaded into a JVM: finds writes to freed memory, whoever makes them, also HotSpot, which no
 * sanitizer has compiled. Freed blocks of the size of HotSpot's threads are filled with a pattern
 * and kept; standard error gets a line for each block that has changed and, when the process ends,
 * one with their number.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A JavaThread has 1,384 bytes in JDK 17 and 2,216 in JDK 25. */
enum { LEAST = 1024, MOST = 4096, KEPT = 8192, PATTERN = 0xa5 };

struct block {
	unsigned char *memory;
	size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the rest */
static struct block kept[KEPT];                          /* a ring */
static unsigned next_place, count, written;

static void really_free(void *memory)
{
	static void (*next)(void *);
	if (next == NULL) {
		void *found = dlsym(RTLD_NEXT, "free");
		memcpy(&next, &found, sizeof next);
	}
	next(memory);
}

static void check(const struct block *b)
{
	for (size_t i = 0; i < b->size; i++) {
		if (b->memory[i] == PATTERN)
			continue;
		fprintf(stderr, "freed: a block of %zu bytes was written at %zu\n", b->size, i);
		written++;
		return;
	}
}

void free(void *memory)
{
	struct block b = {.memory = memory};
	if (memory == NULL)
		return;
	b.size = malloc_usable_size(memory);
	if (b.size < LEAST || b.size > MOST) {
		really_free(memory);
		return;
	}
	memset(memory, PATTERN, b.size);
	pthread_mutex_lock(&lock);
	const struct block oldest = kept[next_place];
	kept[next_place] = b;
	next_place = (next_place + 1) % KEPT;
	if (count < KEPT)
		count++;
	else
		check(&oldest);
	pthread_mutex_unlock(&lock);
	really_free(oldest.memory);
}

/* The library's DT_FINI (CMakeLists.txt). */
void freed_report(void);

void freed_report(void)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < count; i++)
		check(&kept[i]);
	fprintf(stderr, "freed: %u blocks kept, %u written\n", count, written);
	pthread_mutex_unlock(&lock);
}
