#define _DEFAULT_SOURCE /* MAP_ANONYMOUS. NOLINT(bugprone-reserved-identifier) */
#include "stack_table.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include <gcspy/memory.h>

#include "stack_nodes.h"

enum { LEAST_BYTES = 65536, MAX_TEXT = 4095 };

struct text {
	uint32_t at; /* offset of its terminated bytes */
	uint32_t length;
	uint32_t hash;
};

/* A table with hash chains: slots of one size, of the number of the chain's next item and the item, and
 * the number of each chain's first item. Numbers are stored plus 1, so that fresh memory means "none". */
struct table {
	unsigned char *slots;
	atomic_uint *chains;
	size_t item_bytes;
	uint32_t capacity;
	uint32_t mask; /* of the chains */
	atomic_uint count;
};

struct stack_table {
	struct table texts;
	struct table frames;
	struct stack_nodes stacks;
	char *bytes;
	uint32_t bytes_capacity;
	atomic_uint bytes_used;
	unsigned char *memory;
	size_t memory_bytes;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 29;
	x *= 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 32;
}

static uint32_t hash_words(const void *item, size_t bytes)
{
	uint32_t words[sizeof(struct stack_table_frame) / sizeof(uint32_t)];
	memcpy(words, item, bytes);
	uint64_t h = bytes;
	for (size_t i = 0; i < bytes / sizeof words[0]; i++)
		h = mix(h ^ words[i]) + i;
	return (uint32_t)h;
}

static uint32_t hash_text(const char *text, size_t length)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	return (uint32_t)mix(h);
}

static uint32_t chains_for(uint32_t capacity)
{
	uint32_t chains = 64;
	while (chains < capacity / 2)
		chains *= 2;
	return chains;
}

static size_t round_up(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static size_t table_bytes(uint32_t capacity, size_t item_bytes)
{
	return round_up(capacity * (sizeof(atomic_uint) + item_bytes)) +
	       round_up(chains_for(capacity) * sizeof(atomic_uint));
}

static unsigned char *table_place(
    struct table *t, unsigned char *at, uint32_t capacity, size_t item_bytes)
{
	t->item_bytes = item_bytes;
	t->capacity = capacity;
	t->mask = chains_for(capacity) - 1;
	t->slots = at;
	at += round_up(capacity * (sizeof(atomic_uint) + item_bytes));
	t->chains = (atomic_uint *)(void *)at;
	return at + round_up((t->mask + 1) * sizeof(atomic_uint));
}

struct stack_table *stack_table_create(size_t bytes)
{
	struct stack_table *d = gcs_zalloc(sizeof *d);
	if (d == NULL)
		return NULL;
	bytes = bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
	/* Shares by what real programs fill: half for stacks, a quarter for texts with their table,
	 * the rest for frames. */
	const size_t stacks = bytes / 2 / 64 * 64;
	uint32_t frames = (uint32_t)(bytes / 5 / (sizeof(struct stack_table_frame) + 6));
	uint32_t texts = (uint32_t)(bytes / 12 / (sizeof(struct text) + 6));
	d->bytes_capacity = (uint32_t)(bytes / 5);
	d->memory_bytes = stacks + table_bytes(frames, sizeof(struct stack_table_frame)) +
			  table_bytes(texts, sizeof(struct text)) + d->bytes_capacity;
	void *memory = mmap(NULL, d->memory_bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		gcs_free(d);
		return NULL;
	}
	d->memory = memory;
	unsigned char *at = d->memory;
	stack_nodes_init(&d->stacks, at, stacks);
	at += stacks;
	at = table_place(&d->frames, at, frames, sizeof(struct stack_table_frame));
	at = table_place(&d->texts, at, texts, sizeof(struct text));
	d->bytes = (char *)at;
	return d;
}

void stack_table_destroy(struct stack_table *d)
{
	if (d == NULL)
		return;
	munmap(d->memory, d->memory_bytes);
	gcs_free(d);
}

static void *slot_at(const struct table *t, uint32_t number)
{
	return t->slots + (size_t)number * (sizeof(atomic_uint) + t->item_bytes);
}

static atomic_uint *next_of(const struct table *t, uint32_t number)
{
	return slot_at(t, number);
}

static void *item_at(const struct table *t, uint32_t number)
{
	return (unsigned char *)slot_at(t, number) + sizeof(atomic_uint);
}

/* A slot for the caller alone, or STACK_TABLE_NONE. The count may exceed the capacity. */
static uint32_t take_slot(struct table *t)
{
	if (atomic_load_explicit(&t->count, memory_order_relaxed) >= t->capacity)
		return STACK_TABLE_NONE;
	uint32_t number = atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
	return number < t->capacity ? number : STACK_TABLE_NONE;
}

/* Searches the chain from `first` up to, not including, `end` for an equal item; numbers plus 1.
 * `same` compares an item with the wanted one. */
static uint32_t search(const struct stack_table *d, const struct table *t, uint32_t first,
    uint32_t end, bool (*same)(const struct stack_table *d, const void *item, const void *wanted),
    const void *wanted)
{
	for (uint32_t i = first; i != end && i != 0;
	     i = atomic_load_explicit(next_of(t, i - 1), memory_order_relaxed))
		if (same(d, item_at(t, i - 1), wanted))
			return i;
	return 0;
}

/* Links a written item into its chain, unless another thread has linked an equal one meanwhile;
 * returns the number that is linked. `seen` is the chain's first item when it was searched. */
static uint32_t link_item(struct stack_table *d, struct table *t, uint32_t hash, uint32_t seen,
    uint32_t number, bool (*same)(const struct stack_table *, const void *, const void *),
    const void *wanted)
{
	atomic_uint *chain = &t->chains[hash & t->mask];
	uint32_t first = seen;
	for (;;) {
		atomic_store_explicit(next_of(t, number), first, memory_order_relaxed);
		if (atomic_compare_exchange_strong_explicit(
			chain, &first, number + 1, memory_order_release, memory_order_acquire))
			return number;
		uint32_t found = search(d, t, first, seen, same, wanted);
		if (found != 0)
			return found - 1;
		seen = first;
	}
}

static bool same_frame(const struct stack_table *d, const void *item, const void *wanted)
{
	(void)d;
	return memcmp(item, wanted, sizeof(struct stack_table_frame)) == 0;
}

static uint32_t add_words(struct stack_table *d, struct table *t, const void *item,
    bool (*same)(const struct stack_table *, const void *, const void *))
{
	uint32_t hash = hash_words(item, t->item_bytes);
	uint32_t seen = atomic_load_explicit(&t->chains[hash & t->mask], memory_order_acquire);
	uint32_t found = search(d, t, seen, 0, same, item);
	if (found != 0)
		return found - 1;
	uint32_t number = take_slot(t);
	if (number == STACK_TABLE_NONE)
		return STACK_TABLE_NONE;
	memcpy(item_at(t, number), item, t->item_bytes);
	return link_item(d, t, hash, seen, number, same, item);
}

uint32_t stack_table_add_frame(struct stack_table *d, const struct stack_table_frame *frame)
{
	if (frame->class_name == STACK_TABLE_NONE || frame->method == STACK_TABLE_NONE ||
	    frame->file == STACK_TABLE_NONE)
		return STACK_TABLE_NONE;
	return add_words(d, &d->frames, frame, same_frame);
}

uint32_t stack_table_add_stack(struct stack_table *d, const struct stack_table_stack *stack)
{
	if (stack->frame == STACK_TABLE_NONE)
		return STACK_TABLE_NONE;
	return stack_nodes_add(&d->stacks, stack);
}

struct wanted_text {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

static bool same_text(const struct stack_table *d, const void *item, const void *wanted)
{
	const struct text *t = item;
	const struct wanted_text *w = wanted;
	return t->hash == w->hash && t->length == w->length &&
	       memcmp(d->bytes + t->at, w->text, w->length) == 0;
}

uint32_t stack_table_text(struct stack_table *d, const char *text, size_t length)
{
	length = length > MAX_TEXT ? MAX_TEXT : length;
	struct wanted_text wanted = {text, (uint32_t)length, hash_text(text, length)};
	uint32_t seen = atomic_load_explicit(
	    &d->texts.chains[wanted.hash & d->texts.mask], memory_order_acquire);
	uint32_t found = search(d, &d->texts, seen, 0, same_text, &wanted);
	if (found != 0)
		return found - 1;
	if (atomic_load_explicit(&d->bytes_used, memory_order_relaxed) + length + 1 >
	    d->bytes_capacity)
		return STACK_TABLE_NONE;
	uint32_t at = atomic_fetch_add(&d->bytes_used, (uint32_t)length + 1);
	if (at + length + 1 > d->bytes_capacity)
		return STACK_TABLE_NONE;
	uint32_t number = take_slot(&d->texts);
	if (number == STACK_TABLE_NONE)
		return STACK_TABLE_NONE;
	memcpy(d->bytes + at, text, length);
	*(struct text *)item_at(&d->texts, number) =
	    (struct text){.at = at, .length = (uint32_t)length, .hash = wanted.hash};
	return link_item(d, &d->texts, wanted.hash, seen, number, same_text, &wanted);
}

const char *stack_table_name(const struct stack_table *d, uint32_t text)
{
	return text == STACK_TABLE_NONE
		   ? ""
		   : d->bytes + ((const struct text *)item_at(&d->texts, text))->at;
}

const struct stack_table_frame *stack_table_frame(const struct stack_table *d, uint32_t frame)
{
	return frame == STACK_TABLE_NONE ? NULL : item_at(&d->frames, frame);
}

struct stack_table_stack stack_table_stack(const struct stack_table *d, uint32_t stack)
{
	return stack == STACK_TABLE_NONE
		   ? (struct stack_table_stack){STACK_TABLE_NONE, STACK_TABLE_NONE}
		   : stack_nodes_get(&d->stacks, stack);
}

static uint32_t table_count(const struct table *t)
{
	uint32_t count = atomic_load(&t->count);
	return count < t->capacity ? count : t->capacity;
}

uint32_t stack_table_text_count(const struct stack_table *d)
{
	return table_count(&d->texts);
}

uint32_t stack_table_frame_count(const struct stack_table *d)
{
	return table_count(&d->frames);
}

uint32_t stack_table_stack_count(const struct stack_table *d)
{
	return stack_nodes_count(&d->stacks);
}

uint32_t stack_table_stack_limit(const struct stack_table *d)
{
	return d->stacks.slots;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
	return part >= whole ? 100 : (unsigned)(part * 100 / whole);
}

unsigned stack_table_fill(const struct stack_table *d)
{
	unsigned fill[4] = {
	    percent(table_count(&d->texts), d->texts.capacity),
	    percent(table_count(&d->frames), d->frames.capacity),
	    percent(stack_nodes_count(&d->stacks), d->stacks.most),
	    percent(atomic_load(&d->bytes_used) + (uint64_t)MAX_TEXT, d->bytes_capacity),
	};
	unsigned most = 0;
	for (int i = 0; i < 4; i++)
		most = fill[i] > most ? fill[i] : most;
	return most;
}

size_t stack_table_bytes(const struct stack_table *d)
{
	const struct table *tables[2] = {&d->texts, &d->frames};
	size_t bytes = atomic_load(&d->bytes_used) + d->stacks.slots * sizeof(uint64_t);
	for (int i = 0; i < 2; i++)
		bytes += table_count(tables[i]) * (tables[i]->item_bytes + sizeof(atomic_uint)) +
			 (tables[i]->mask + 1) * sizeof(atomic_uint);
	return bytes;
}

/* Copying. A map's entry is the number in the new stack table plus 1; 0: not copied yet. */

bool stack_table_copy_begin(
    struct stack_table_copy *c, const struct stack_table *from, struct stack_table *to)
{
	*c = (struct stack_table_copy){.from = from, .to = to};
	c->texts = gcs_zalloc((from->texts.capacity + 1) * sizeof(uint32_t));
	c->frames = gcs_zalloc((from->frames.capacity + 1) * sizeof(uint32_t));
	c->stacks = gcs_zalloc((from->stacks.slots + (size_t)1) * sizeof(uint32_t));
	return c->texts != NULL && c->frames != NULL && c->stacks != NULL;
}

void stack_table_copy_end(struct stack_table_copy *c)
{
	gcs_free(c->texts);
	gcs_free(c->frames);
	gcs_free(c->stacks);
	*c = (struct stack_table_copy){0};
}

uint32_t stack_table_copy_text(struct stack_table_copy *c, uint32_t text)
{
	if (text == STACK_TABLE_NONE)
		return STACK_TABLE_NONE;
	if (c->texts[text] == 0) {
		const struct text *t = item_at(&c->from->texts, text);
		c->texts[text] = stack_table_text(c->to, c->from->bytes + t->at, t->length) + 1;
	}
	return c->texts[text] - 1;
}

static uint32_t copy_frame(struct stack_table_copy *c, uint32_t frame)
{
	if (c->frames[frame] == 0) {
		struct stack_table_frame f = *stack_table_frame(c->from, frame);
		f.class_name = stack_table_copy_text(c, f.class_name);
		f.method = stack_table_copy_text(c, f.method);
		f.file = stack_table_copy_text(c, f.file);
		c->frames[frame] = stack_table_add_frame(c->to, &f) + 1;
	}
	return c->frames[frame] - 1;
}

uint32_t stack_table_copy_stack(struct stack_table_copy *c, uint32_t stack)
{
	/* A parent's number may be larger than its child's, if another thread's slot was linked
	 * first. Therefore first walk up the uncopied part of the path, then copy it downwards. */
	enum { DEEP = 2048 };
	uint32_t path[DEEP];
	uint32_t depth = 0;
	uint32_t at = stack;
	while (at != STACK_TABLE_NONE && c->stacks[at] == 0 && depth < DEEP) {
		path[depth++] = at;
		at = stack_table_stack(c->from, at).parent;
	}
	while (depth != 0) {
		uint32_t one = path[--depth];
		struct stack_table_stack s = stack_table_stack(c->from, one);
		s.frame = copy_frame(c, s.frame);
		if (s.parent != STACK_TABLE_NONE) {
			s.parent = c->stacks[s.parent] - 1;
			if (s.parent == STACK_TABLE_NONE)
				s.frame = STACK_TABLE_NONE; /* no room for the caller */
		}
		c->stacks[one] = stack_table_add_stack(c->to, &s) + 1;
	}
	return stack == STACK_TABLE_NONE ? STACK_TABLE_NONE : c->stacks[stack] - 1;
}
