#include "humongous.h"

#include <stdatomic.h>
#include <string.h>

#include <gcspy/memory.h>

#include "vm_g1.h"
#include "vm_weak.h"

enum { BITS = 64 };

struct humongous {
	const struct vm *vm;
	struct vm_region_layout layout;
	bool eager;                     /* young collections free such objects at all */
	atomic_uint pauses;             /* that have ended */
	atomic_uint_least64_t *watched; /* a bit for each region */
	atomic_uint *freed; /* by region: the last pause that it was looked at and had no start */
};

struct humongous *humongous_create(const struct vm *vm)
{
	struct vm_region_layout layout;
	if (vm_collector(vm) != VM_COLLECTOR_G1 || !vm_has(vm, VM_WEAK_POSITIONS) ||
	    !vm_g1_layout(vm, &layout))
		return NULL;
	struct humongous *h = gcs_zalloc(sizeof *h);
	if (h == NULL)
		return NULL;
	h->vm = vm;
	h->layout = layout;
	if (!vm_flag_bool(vm, "G1EagerReclaimHumongousObjects", &h->eager))
		h->eager = true; /* as it is by default */
	h->watched = gcs_zalloc((layout.regions / BITS + 1) * sizeof *h->watched);
	h->freed = gcs_zalloc(layout.regions * sizeof *h->freed);
	if (h->watched != NULL && h->freed != NULL)
		return h;
	humongous_destroy(h);
	return NULL;
}

void humongous_destroy(struct humongous *h)
{
	if (h == NULL)
		return;
	gcs_free(h->watched);
	gcs_free(h->freed);
	gcs_free(h);
}

uint64_t humongous_track(struct humongous *h, jobject object, uint64_t size, uint32_t *pause)
{
	if (h == NULL || size < h->layout.region_bytes / 2)
		return 0;
	const uint64_t address = vm_local_position(h->vm, object);
	const uint64_t at = address - h->layout.heap, region = at / h->layout.region_bytes;
	if (address < h->layout.heap || at % h->layout.region_bytes != 0 ||
	    !vm_g1_begins_humongous(h->vm, region))
		return 0;
	*pause = atomic_load(&h->pauses);
	atomic_fetch_or(&h->watched[region / BITS], (uint64_t)1 << region % BITS);
	return address;
}

bool humongous_is_eager(const struct humongous *h, const char *class_name)
{
	static const char *const names[] = {
	    "byte[]", "boolean[]", "char[]", "short[]", "int[]", "long[]", "float[]", "double[]"};
	for (size_t i = 0; h != NULL && h->eager && i < sizeof names / sizeof names[0]; i++)
		if (strcmp(class_name, names[i]) == 0)
			return true;
	return false;
}

void humongous_pause_ends(struct humongous *h)
{
	if (h == NULL)
		return;
	const unsigned pause = atomic_fetch_add(&h->pauses, 1) + 1;
	for (uint64_t i = 0; i <= h->layout.regions / BITS; i++) {
		uint64_t freed = 0;
		for (uint64_t left = atomic_load(&h->watched[i]); left != 0; left &= left - 1) {
			const uint64_t region = i * BITS + (unsigned)__builtin_ctzll(left);
			if (vm_g1_begins_humongous(h->vm, region))
				continue;
			atomic_store(&h->freed[region], pause);
			freed |= left & -left;
		}
		if (freed != 0)
			atomic_fetch_and(&h->watched[i], ~freed);
	}
}

bool humongous_is_dead(const struct humongous *h, uint64_t address, uint32_t pause)
{
	const uint64_t region = (address - h->layout.heap) / h->layout.region_bytes;
	/* The number of pauses may wrap around. */
	const unsigned freed = atomic_load(&h->freed[region]);
	return freed != 0 && (int32_t)(freed - pause) > 0;
}
