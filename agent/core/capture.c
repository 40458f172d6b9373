#include "capture.h"

#include <semaphore.h>
#include <stdatomic.h>

#include <gcspy/memory.h>

struct capture_ring {
	struct capture *slots[CAPTURE_SLOTS];
	atomic_uint written; /* captures handed over so far */
	atomic_uint read;    /* captures given back so far */
	sem_t available;
};

struct capture *capture_create(size_t raw_bytes)
{
	struct capture *c = gcs_zalloc(sizeof *c);
	if (c == NULL)
		return NULL;
	c->tlabs = gcs_zalloc(CAPTURE_TLABS * sizeof *c->tlabs);
	c->raw = gcs_zalloc(raw_bytes == 0 ? 1 : raw_bytes);
	if (c->tlabs == NULL || c->raw == NULL) {
		capture_destroy(c);
		return NULL;
	}
	return c;
}

void capture_destroy(struct capture *c)
{
	if (c == NULL)
		return;
	gcs_free(c->tlabs);
	gcs_free(c->raw);
	gcs_free(c);
}

struct capture_ring *capture_ring_create(size_t raw_bytes)
{
	struct capture_ring *ring = gcs_zalloc(sizeof *ring);
	if (ring == NULL)
		return NULL;
	bool ok = sem_init(&ring->available, 0, 0) == 0;
	for (unsigned i = 0; ok && i < CAPTURE_SLOTS; i++)
		ok = (ring->slots[i] = capture_create(raw_bytes)) != NULL;
	if (!ok) {
		capture_ring_destroy(ring);
		return NULL;
	}
	return ring;
}

void capture_ring_destroy(struct capture_ring *ring)
{
	if (ring == NULL)
		return;
	for (unsigned i = 0; i < CAPTURE_SLOTS; i++)
		capture_destroy(ring->slots[i]);
	sem_destroy(&ring->available);
	gcs_free(ring);
}

struct capture *capture_take(struct capture_ring *ring)
{
	unsigned written = atomic_load_explicit(&ring->written, memory_order_relaxed);
	unsigned read = atomic_load_explicit(&ring->read, memory_order_acquire);
	return written - read == CAPTURE_SLOTS ? NULL : ring->slots[written % CAPTURE_SLOTS];
}

void capture_hand_over(struct capture_ring *ring, bool wake)
{
	atomic_fetch_add_explicit(&ring->written, 1, memory_order_release);
	if (wake)
		sem_post(&ring->available);
}

void capture_wake(struct capture_ring *ring)
{
	sem_post(&ring->available);
}

void capture_wait(struct capture_ring *ring)
{
	while (sem_wait(&ring->available) != 0)
		continue;
}

struct capture *capture_first(struct capture_ring *ring)
{
	unsigned written = atomic_load_explicit(&ring->written, memory_order_acquire);
	unsigned read = atomic_load_explicit(&ring->read, memory_order_relaxed);
	return written == read ? NULL : ring->slots[read % CAPTURE_SLOTS];
}

void capture_done(struct capture_ring *ring)
{
	atomic_fetch_add_explicit(&ring->read, 1, memory_order_release);
}

uint32_t capture_pending(const struct capture_ring *ring)
{
	return atomic_load(&ring->written) - atomic_load(&ring->read);
}
