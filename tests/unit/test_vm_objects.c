/* The walk over objects (H5) and the card table (H3) on images of memory, whole and damaged. */
/* MAP_ANONYMOUS is not POSIX. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "heap_image.h"
#include "kit.h"
#include "vm_cards.h"

enum { ROOM = 32, SEEN = 4096 };

static const enum vm_klass_place places[] = {VM_KLASS_WHOLE, VM_KLASS_NARROW, VM_KLASS_IN_MARK};

static struct vm *vm;
static struct vm_classes *classes;
static struct vm_object seen[SEEN];
static size_t seen_count;

static void open_image(enum vm_klass_place place, uint32_t align)
{
	world_build_serial();
	image_build(place, align);
	vm = world_open();
	cr_assert(vm_has(vm, VM_OBJECTS), "%s", vm_why(vm, VM_OBJECTS));
	classes = vm_classes_create(vm, ROOM);
	vm_classes_begin(classes);
	seen_count = 0;
}

static void close_image(void)
{
	vm_classes_destroy(classes);
	vm_close(vm);
}

static void note(void *context, const struct vm_object *object)
{
	(void)context;
	cr_assert_lt(seen_count, SEEN);
	seen[seen_count++] = *object;
}

static struct vm_address_range all(void)
{
	return (struct vm_address_range){.at = image_low(), .end = image.top};
}

static enum vm_objects_end walk(struct vm_address_range *s)
{
	return vm_objects_walk(classes, s, UINT32_MAX, note, NULL);
}

static void expect(
    size_t i, uint64_t at, uint64_t bytes, const char *name, enum vm_object_kind kind)
{
	cr_assert_lt(i, seen_count);
	cr_assert_eq(seen[i].at, at, "object %zu", i);
	cr_assert_eq(seen[i].bytes, bytes, "object %zu has %llu bytes", i,
	    (unsigned long long)seen[i].bytes);
	cr_assert_eq(seen[i].kind, kind, "object %zu", i);
	cr_assert_str_eq(vm_classes_name(classes, seen[i].class_id), name);
}

Test(vm_objects, walks_each_kind_of_object_with_each_header)
{
	static const uint32_t headers[] = {24, 16, 12};
	for (int p = 0; p < 3; p++) {
		for (uint32_t align = 8; align <= 16; align *= 2) {
			open_image(places[p], align);
			image_tell_chunks(vm);
			uint64_t at[] = {image_scalar(IMAGE_PAIR), image_array(IMAGE_INTS, 3),
			    image_array(IMAGE_LONGS, 0), image_mirror(9), image_chunk(100),
			    image_array(IMAGE_FILLER, 5), image_scalar(IMAGE_PAIR)};
			struct vm_address_range s = all();
			cr_assert_eq(walk(&s), VM_OBJECTS_DONE, "place %d", p);
			cr_assert_eq(seen_count, 7);
			expect(0, at[0], image_align(24), "test/Pair", VM_OBJECT_SCALAR);
			expect(1, at[1], image_align(headers[p] + 12), "[I", VM_OBJECT_ARRAY);
			expect(2, at[2], image_align(headers[p]), "[J", VM_OBJECT_ARRAY);
			expect(3, at[3], image_align(72), "java/lang/Class", VM_OBJECT_SCALAR);
			expect(4, at[4], image_align(32 + (100 + 4) * 8),
			    "jdk/internal/vm/StackChunk", VM_OBJECT_SCALAR);
			expect(5, at[5], image_align(headers[p] + 20),
			    "[Ljdk/internal/vm/FillerElement;", VM_OBJECT_FILLER);
			cr_assert_eq(seen[6].class_id, seen[0].class_id);
			close_image();
		}
	}
}

Test(vm_objects, jumps_over_the_free_parts_of_buffers)
{
	open_image(VM_KLASS_NARROW, 8);
	image_scalar(IMAGE_PAIR);
	struct vm_gap gaps[3] = {{image_low() - 64, image_low() - 8}, {image.top, image.top + 80}};
	memset((void *)(uintptr_t)image.top, 0x5a, 80);
	image.top += 80;
	uint64_t behind = image_scalar(IMAGE_PAIR);
	gaps[2] = (struct vm_gap){image.top, image.top + 4096};
	image.top += 40; /* the end lies inside the last hole */
	struct vm_address_range s = all();
	s.gaps = gaps;
	s.gap_count = 3;
	cr_assert_eq(walk(&s), VM_OBJECTS_DONE);
	cr_assert_eq(seen_count, 2);
	expect(1, behind, 24, "test/Pair", VM_OBJECT_SCALAR);
	cr_assert_eq(s.at, image.top);
	close_image();
}

/* A bitmap for the image, with two bits for each place. */
static uint64_t marks[IMAGE_WORDS / 32];

static void mark_image(unsigned shift)
{
	memset(marks, 0, sizeof marks);
	vm->shenandoah.marks = (struct vm_mark_map){image_low(), (uintptr_t)marks, shift};
}

static uint64_t mark(uint64_t object, bool strong)
{
	const uint64_t bit = ((object - image_low()) >> vm->shenandoah.marks.shift) * 2 + !strong;
	marks[bit / 64] |= UINT64_C(1) << bit % 64;
	return object;
}

/* Shenandoah: below the top at the start of marking only what has a mark, above it everything. */
Test(vm_objects, follows_the_marks_and_touches_nothing_dead)
{
	for (uint32_t align = 8; align <= 16; align *= 2) {
		open_image(VM_KLASS_NARROW, align);
		mark_image(align == 8 ? 3 : 4);
		uint64_t at[5];
		const uint64_t dead = image_scalar(IMAGE_PAIR);
		at[0] = mark(image_array(IMAGE_INTS, 3), true);
		const uint64_t worse =
		    image_array(IMAGE_INTS, 2000); /* many words without a mark */
		at[1] = mark(image_scalar(IMAGE_PAIR), false);
		at[2] = mark(image_scalar(IMAGE_PAIR), true);
		const uint64_t last = image_scalar(IMAGE_PAIR);
		struct vm_address_range s = {.at = image_low(), .marked = image.top};
		at[3] = image_scalar(IMAGE_PAIR);
		const struct vm_gap gaps[2] = {{at[0], at[2]}, {image.top, image.top + 48}};
		image.top += 48;
		at[4] = image_array(IMAGE_INTS, 1);
		memset((void *)(uintptr_t)dead, 0, 16);
		memset((void *)(uintptr_t)worse, 0xff, 16);
		memset((void *)(uintptr_t)last, 0xee, 16);
		s.end = image.top;
		s.gaps = gaps; /* the first lies below, where only marks count */
		s.gap_count = 2;
		while (vm_objects_walk(classes, &s, 1, note, NULL) == VM_OBJECTS_PAUSED)
			continue;
		cr_assert_eq(s.at, s.end);
		cr_assert_eq(seen_count, 5);
		for (size_t i = 0; i < 5; i++)
			cr_assert_eq(seen[i].at, at[i], "object %zu", i);
		close_image();
	}
}

Test(vm_objects, ends_with_the_marks_and_never_follows_a_forwarding_pointer)
{
	open_image(VM_KLASS_NARROW, 8);
	mark_image(3);
	image_scalar(IMAGE_PAIR);
	const uint64_t moved = mark(image_scalar(IMAGE_PAIR), true);
	struct vm_address_range s = all();
	s.marked = image.top + 4096; /* above the end: nothing is read there */
	cr_assert_eq(walk(&s), VM_OBJECTS_DONE);
	cr_assert_eq(seen_count, 1);
	*(uint64_t *)(uintptr_t)moved |= 3;
	s.at = image_low();
	cr_assert_eq(walk(&s), VM_OBJECTS_STRANGE);
	cr_assert_eq(s.at, moved);
	close_image();
}

Test(vm_objects, goes_on_where_it_has_paused)
{
	open_image(VM_KLASS_NARROW, 8);
	for (int i = 0; i < 300; i++)
		image_scalar(IMAGE_PAIR);
	struct vm_address_range s = all();
	size_t turns = 0;
	while (vm_objects_walk(classes, &s, 60, note, NULL) == VM_OBJECTS_PAUSED)
		turns++;
	cr_assert_eq(seen_count, 300);
	cr_assert_eq(turns, 5, "the first has a new class: %zu", turns);
	close_image();
}

/* Each damage ends the walk at that object, whatever stands after it. */
Test(vm_objects, stops_at_what_is_no_object)
{
	enum damage {
		NO_KLASS,
		ODD_KLASS,
		FAR_KLASS,
		NO_LAYOUT,
		HUGE_LAYOUT,
		NO_SYMBOL,
		FAR_SYMBOL,
		EMPTY_NAME,
		CONTROL_IN_NAME,
		ARRAY_NAME,
		DAMAGES
	};
	for (int damage = 0; damage < DAMAGES; damage++) {
		open_image(VM_KLASS_WHOLE, 8);
		image_scalar(IMAGE_PAIR);
		int other = image_add_class("test/Other", 32);
		uint64_t at = image_scalar(other), *words = (uint64_t *)(uintptr_t)at;
		int32_t none = damage == NO_LAYOUT ? 0 : 1 << 24;
		image_scalar(IMAGE_PAIR);
		uint64_t *klass = image.klasses[other];
		unsigned char *symbol = image.symbols[other];
		if (damage == NO_KLASS)
			words[1] = 0;
		else if (damage == ODD_KLASS)
			words[1] += 4;
		else if (damage == FAR_KLASS)
			words[1] = UINT64_C(0x7fff00000000);
		else if (damage == NO_LAYOUT || damage == HUGE_LAYOUT)
			memcpy(klass + 1, &none, sizeof none);
		else if (damage == NO_SYMBOL)
			klass[3] = 0;
		else if (damage == FAR_SYMBOL)
			klass[3] = UINT64_C(0x7fff00000000);
		else if (damage == EMPTY_NAME)
			symbol[4] = 0;
		else if (damage == CONTROL_IN_NAME)
			symbol[7] = 3;
		else
			symbol[6] = '[';
		struct vm_address_range s = all();
		cr_assert_eq(walk(&s), VM_OBJECTS_STRANGE, "damage %d", damage);
		cr_assert_eq(s.at, at);
		cr_assert_eq(seen_count, 1);
		close_image();
	}
}

Test(vm_objects, stops_at_a_size_that_cannot_be)
{
	static const uint32_t lengths[] = {1000, 0x7fffffff, 0xffffffff};
	for (size_t i = 0; i < 3; i++) {
		open_image(VM_KLASS_NARROW, 8);
		uint64_t at = image_array(IMAGE_LONGS, 4);
		image_scalar(IMAGE_PAIR);
		memcpy((void *)(uintptr_t)(at + 12), &lengths[i], 4);
		struct vm_address_range s = all();
		cr_assert_eq(walk(&s), VM_OBJECTS_STRANGE, "length %u", lengths[i]);
		cr_assert_eq(s.at, at);
		close_image();
	}
	open_image(VM_KLASS_NARROW, 8);
	image_mirror(4);
	uint64_t small = image.top;
	image_mirror(9);
	memcpy((void *)(uintptr_t)(small + (uint64_t)world.mirror_words), &(uint32_t){1}, 4);
	struct vm_address_range s = all();
	cr_assert_eq(walk(&s), VM_OBJECTS_STRANGE, "a mirror smaller than its class says");
	cr_assert_eq(s.at, small);
	close_image();

	open_image(VM_KLASS_NARROW, 8);
	uint64_t chunk = image_chunk(3);
	s = all();
	cr_assert_eq(walk(&s), VM_OBJECTS_STRANGE, "nobody told where a chunk has its size");
	cr_assert_eq(s.at, chunk);
	close_image();
}

/* An object that begins right before the end of readable memory. */
Test(vm_objects, does_not_read_beyond_the_end)
{
	enum { PAGE = 4096 };
	unsigned char *pages =
	    mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(pages, MAP_FAILED);
	cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	for (int p = 0; p < 3; p++) {
		for (uint64_t left = 8; left <= 40; left += 8) {
			open_image(places[p], 8);
			image_mirror(9);
			memcpy(pages + PAGE - left, image.words, left);
			struct vm_address_range s = {
			    .at = (uintptr_t)pages + PAGE - left, .end = (uintptr_t)pages + PAGE};
			cr_assert_eq(
			    walk(&s), VM_OBJECTS_STRANGE, "%llu bytes", (unsigned long long)left);
			close_image();
		}
	}
	munmap(pages, 2 * PAGE);
}

/* Q2, Q4: whatever stands in the heap, the walk ends inside it. */
Test(vm_objects, ends_in_any_memory)
{
	uint64_t seed = kit_seed();
	for (int round = 0; round < 300; round++) {
		open_image(places[round % 3], 8);
		image_tell_chunks(vm);
		while (image.top < image_low() + 8000) {
			image_scalar(IMAGE_PAIR);
			image_array(IMAGE_INTS, (uint32_t)(kit_random(&seed) % 9));
			image_mirror(5 + (uint32_t)(kit_random(&seed) % 9));
			image_chunk((uint32_t)(kit_random(&seed) % 9));
		}
		unsigned char *bytes = (unsigned char *)image.words;
		for (int i = 0; i < 40; i++)
			bytes[kit_random(&seed) % 8000] = (unsigned char)kit_random(&seed);
		struct vm_address_range s = all();
		enum vm_objects_end end = walk(&s);
		cr_assert(s.at <= s.end);
		cr_assert((end == VM_OBJECTS_DONE) == (s.at == s.end));
		uint64_t at = image_low();
		for (size_t i = 0; i < seen_count; i++, at += seen[i - 1].bytes)
			cr_assert_eq(seen[i].at, at);
		close_image();
	}
}

static uint32_t id_of_first(void)
{
	struct vm_address_range s = all();
	seen_count = 0;
	cr_assert_eq(walk(&s), VM_OBJECTS_DONE);
	return seen[0].class_id;
}

/* Q4: another class where an unloaded one was. */
Test(vm_objects, looks_at_classes_again_when_some_were_unloaded)
{
	open_image(VM_KLASS_NARROW, 8);
	int class = image_add_class("test/First", 24);
	image_scalar(class);
	uint32_t first = id_of_first();
	vm_classes_begin(classes);
	cr_assert_eq(id_of_first(), first);
	++*world.unloaded;
	vm_classes_begin(classes);
	cr_assert_eq(id_of_first(), first, "it is still the same");
	memcpy(image.symbols[class] + 6, "test/Other", 10);
	++*world.unloaded;
	vm_classes_begin(classes);
	uint32_t second = id_of_first();
	cr_assert_neq(second, first);
	cr_assert_str_eq(vm_classes_name(classes, first), "test/First");
	cr_assert_str_eq(vm_classes_name(classes, second), "test/Other");
	memset(image.klasses[class], 0, sizeof image.klasses[class]);
	++*world.unloaded;
	vm_classes_begin(classes);
	struct vm_address_range s = all();
	cr_assert_eq(walk(&s), VM_OBJECTS_STRANGE, "its memory is something else now");
	close_image();
}

Test(vm_objects, puts_classes_without_room_together)
{
	open_image(VM_KLASS_NARROW, 8);
	char name[32];
	for (int i = 0; i < ROOM + 4; i++) {
		snprintf(name, sizeof name, "test/Class%d", i);
		image_scalar(image_add_class(name, 24));
	}
	struct vm_address_range s = all();
	cr_assert_eq(walk(&s), VM_OBJECTS_DONE);
	cr_assert_eq(seen_count, ROOM + 4);
	for (size_t i = 0; i < ROOM; i++)
		cr_assert_eq(seen[i].class_id, i + 1);
	for (size_t i = ROOM; i < ROOM + 4; i++)
		cr_assert_eq(seen[i].class_id, VM_CLASS_OTHERS);
	vm_classes_clear(classes);
	cr_assert_eq(vm_classes_count(classes), 1);
	close_image();
}

Test(vm_objects, says_what_is_missing)
{
	static const char *const fields[][2] = {{"Klass", "_layout_helper"}, {"Klass", "_name"},
	    {"Symbol", "_body[0]"}, {"java_lang_Class", "_oop_size_offset"},
	    {"oopDesc", "_metadata._klass"}, {"CompressedKlassPointers", "_base"}};
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		world_build_serial();
		image_build(VM_KLASS_NARROW, 8);
		world_hide_field(fields[i][0], fields[i][1]);
		vm = world_open();
		cr_assert_not(vm_has(vm, VM_OBJECTS), "%s", fields[i][1]);
		cr_assert_not_null(
		    strstr(vm_why(vm, VM_OBJECTS), fields[i][1]), "%s", vm_why(vm, VM_OBJECTS));
		vm_close(vm);
	}
}

Test(vm_cards, are_counted_by_their_state)
{
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	image_as_heap();
	image_build_cards();
	vm = world_open();
	cr_assert(vm_has(vm, VM_CARDS), "%s", vm_why(vm, VM_CARDS));
	cr_assert_eq(vm_card_bytes(vm), IMAGE_CARD);
	image.cards[3] = 0;
	image.cards[20] = image.cards[21] = 0;
	memset(image.cards + 40, 4, 20);
	struct vm_cards cards, part;
	vm_cards_count(vm, image_low(), image_low() + 100 * IMAGE_CARD, &cards);
	cr_assert_eq(cards.dirty, 3);
	cr_assert_eq(cards.other, 20);
	cr_assert_eq(cards.clean, 77);
	/* Neighbours count each card once, wherever they meet. */
	uint32_t dirty = 0, all_cards = 0;
	for (uint64_t at = 0; at < 100 * IMAGE_CARD; at += 1000) {
		uint64_t end = at + 1000 < 100 * IMAGE_CARD ? at + 1000 : 100 * IMAGE_CARD;
		vm_cards_count(vm, image_low() + at, image_low() + end, &part);
		dirty += part.dirty;
		all_cards += part.dirty + part.clean + part.other;
	}
	cr_assert_eq(dirty, 3);
	cr_assert_eq(all_cards, 100);
	vm_close(vm);
}

Test(vm_cards, are_missing_where_the_table_is_not)
{
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	image_as_heap();
	image_build_cards();
	world.card_table[1] += 1;
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_CARDS), "the base does not fit");
	cr_assert_eq(vm_card_bytes(vm), 0);
	vm_close(vm);
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	image_as_heap();
	image_build_cards();
	world.barrier_set[1] = 2;
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_CARDS), "a barrier set of another kind");
	vm_close(vm);
}
