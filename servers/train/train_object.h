/*
 * An object of the Train heap: a header of 16 bytes, then pointer fields, then raw payload, in words of 8
 * bytes. Objects move, but a serial number in the header identifies them for ever.
 */
#ifndef TRAIN_OBJECT_H
#define TRAIN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `meta` is the new address of the object plus 1 while a collection has forwarded it. Otherwise:
 * bits 1..7 are its age in young collections, bits 16..31 count references to it during one Train
 * step, and bits 32..63 are its serial number.
 */
struct object {
	uint32_t words; /* of the whole object, header included */
	uint32_t pointers;
	uint64_t meta;
};

enum { WORD_BYTES = 8, OBJECT_HEADER_WORDS = 2, OBJECT_MAX_AGE = 127, OBJECT_MAX_COUNT = 65535 };

static inline struct object **object_fields(struct object *o)
{
	return (struct object **)(o + 1);
}

static inline struct object *object_field(struct object *o, uint32_t field)
{
	return object_fields(o)[field];
}

static inline uint64_t *object_payload(struct object *o)
{
	return (uint64_t *)(o + 1) + o->pointers;
}

static inline uint32_t object_payload_words(const struct object *o)
{
	return o->words - OBJECT_HEADER_WORDS - o->pointers;
}

static inline size_t object_bytes(const struct object *o)
{
	return (size_t)o->words * WORD_BYTES;
}

static inline char *object_end(struct object *o)
{
	return (char *)o + object_bytes(o);
}

static inline uint32_t object_serial(const struct object *o)
{
	return (uint32_t)(o->meta >> 32);
}

static inline uint32_t object_age(const struct object *o)
{
	return (uint32_t)(o->meta >> 1) & OBJECT_MAX_AGE;
}

static inline uint32_t object_count(const struct object *o)
{
	return (uint32_t)(o->meta >> 16) & OBJECT_MAX_COUNT;
}

static inline void object_set_meta(struct object *o, uint32_t serial, uint32_t count, uint32_t age)
{
	uint32_t capped = age < OBJECT_MAX_AGE ? age : OBJECT_MAX_AGE;
	o->meta = (uint64_t)serial << 32 | (uint64_t)count << 16 | (uint64_t)capped << 1;
}

static inline void object_set_count(struct object *o, uint32_t count)
{
	object_set_meta(o, object_serial(o), count, object_age(o));
}

/* Where a collection has moved the object, or NULL. */
static inline struct object *object_forwarded(const struct object *o)
{
	return (o->meta & 1) != 0 ? (struct object *)(uintptr_t)(o->meta - 1) : NULL;
}

static inline void object_forward(struct object *o, struct object *to)
{
	o->meta = (uint64_t)(uintptr_t)to + 1;
}

#endif
