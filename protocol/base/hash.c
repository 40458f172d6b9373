#include "hash.h"

#include <stdatomic.h>
#include <string.h>

#include <gcspy/memory.h>

#include "now.h"

enum { FIRST_SLOTS = 64 };

uint64_t hash_bytes(uint64_t before, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < length; i++)
		before = (before ^ at[i]) * UINT64_C(0x100000001b3);
	return before;
}

uint64_t hash_text(uint64_t before, const char *text)
{
	return hash_bytes(before, text, strlen(text));
}

uint64_t hash_secret(void)
{
	static atomic_uint_least64_t secret;
	uint_least64_t none = 0;
	if (atomic_load(&secret) == 0)
		atomic_compare_exchange_strong(&secret, &none,
		    hash_mix((uint64_t)now_wall_ns() ^ (uint64_t)(uintptr_t)&none) | 1u);
	return atomic_load(&secret);
}

/* Into the first free slot; there is one. */
static void place(struct hash_table *t, struct hash_slot slot)
{
	size_t at = (size_t)hash_mix(slot.key) & t->mask;
	while (t->slots[at].value != 0)
		at = (at + 1) & t->mask;
	t->slots[at] = slot;
}

bool hash_reserve(struct hash_table *t, size_t count)
{
	size_t slots = FIRST_SLOTS;
	while (slots / 2 < count)
		slots *= 2;
	if (t->slots != NULL && slots <= t->mask + 1)
		return true;
	struct hash_table more = {gcs_zalloc(slots * sizeof *more.slots), slots - 1, t->count};
	if (more.slots == NULL)
		return false;
	for (size_t i = 0; t->slots != NULL && i <= t->mask; i++)
		if (t->slots[i].value != 0)
			place(&more, t->slots[i]);
	gcs_free(t->slots);
	*t = more;
	return true;
}

bool hash_put(struct hash_table *t, uint64_t key, uint64_t value)
{
	if ((t->slots == NULL || t->count > t->mask / 2) && !hash_reserve(t, t->count + 1))
		return false;
	place(t, (struct hash_slot){key, value + 1});
	t->count++;
	return true;
}

uint64_t hash_get(const struct hash_table *t, uint64_t key)
{
	struct hash_search s = hash_search(t, key);
	uint64_t value;
	return hash_next(&s, &value) ? value : HASH_NONE;
}

uint64_t hash_remove(struct hash_table *t, uint64_t key)
{
	struct hash_search s = hash_search(t, key);
	uint64_t value;
	if (!hash_next(&s, &value))
		return HASH_NONE;
	size_t at = (s.at - 1) & t->mask;
	t->slots[at] = (struct hash_slot){0};
	t->count--;
	/* Later slots may have been displaced by this one. */
	for (at = (at + 1) & t->mask; t->slots[at].value != 0; at = (at + 1) & t->mask) {
		const struct hash_slot moved = t->slots[at];
		t->slots[at] = (struct hash_slot){0};
		place(t, moved);
	}
	return value;
}

bool hash_each(const struct hash_table *t, size_t *at, uint64_t *key, uint64_t *value)
{
	while (t->slots != NULL && *at <= t->mask) {
		const struct hash_slot *slot = &t->slots[(*at)++];
		*key = slot->key;
		*value = slot->value - 1;
		if (slot->value != 0)
			return true;
	}
	return false;
}

void hash_fini(struct hash_table *t)
{
	gcs_free(t->slots);
	*t = (struct hash_table){0};
}
