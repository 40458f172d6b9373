#include "heap_image.h"

#include <criterion/criterion.h>
#include <string.h>

struct image image;

enum { SHIFT = 6, MARK_SHIFT = 42, MIRROR_WORDS = 16, PAIR = 24, MIRROR = 32, CHUNK = 32 };

static uint32_t header_bytes(void)
{
	return image.place == VM_KLASS_WHOLE ? 24 : image.place == VM_KLASS_NARROW ? 16 : 12;
}

static uint32_t length_at(void)
{
	return image.place == VM_KLASS_WHOLE ? 16 : image.place == VM_KLASS_NARROW ? 12 : 8;
}

int32_t image_array_layout(unsigned log2)
{
	const uint32_t type = log2 == 3 ? 11 : 10;
	return (int32_t)(UINT32_C(3) << 30 | header_bytes() << 16 | type << 8 | log2);
}

int image_add_class(const char *name, int32_t layout)
{
	const int i = image.classes++;
	const uint16_t length = (uint16_t)strlen(name);
	cr_assert_lt(i, IMAGE_CLASSES);
	memcpy((char *)image.klasses[i] + 8, &layout, sizeof layout);
	image.klasses[i][3] = (uintptr_t)image.symbols[i];
	memcpy(image.symbols[i] + 4, &length, sizeof length);
	memcpy(image.symbols[i] + 6, name, length);
	return i;
}

static void add_flag(size_t row, const char *name, void *address, int32_t type)
{
	world.flag_rows[row] = (struct flag_row){.name = name, .address = address, .type = type};
}

void image_build(enum vm_klass_place place, uint32_t align)
{
	memset(&image, 0, sizeof image);
	image.place = place;
	image.top = image_low();
	world.narrow_classes = place != VM_KLASS_WHOLE;
	world.compact_headers = place == VM_KLASS_IN_MARK;
	world.narrow_references = 1;
	world.alignment = (int32_t)align;
	add_flag(10, "UseCompressedClassPointers", &world.narrow_classes, 0);
	add_flag(11, "UseCompactObjectHeaders", &world.compact_headers, 0);
	add_flag(12, "UseCompressedOops", &world.narrow_references, 0);
	add_flag(13, "ObjectAlignmentInBytes", &world.alignment, 1);
	world.flag_count = 15;
	world.klass_base = (uintptr_t)image.klasses - (1 << SHIFT);
	world.klass_shift = SHIFT;
	world.mirror_words = MIRROR_WORDS;
	world_add_field("oopDesc", "_metadata._klass", 8);
	world_add_field("Klass", "_layout_helper", 8);
	world_add_field("Klass", "_name", 24);
	world_add_field("Symbol", "_length", 4);
	world_add_field("Symbol", "_body[0]", 6);
	world_add_static("java_lang_Class", "_oop_size_offset", &world.mirror_words);
	world_add_static("CompressedKlassPointers", "_base", &world.klass_base);
	world_add_static("CompressedKlassPointers", "_shift", &world.klass_shift);
	world_add_int("markWord::klass_shift", MARK_SHIFT);
	image_add_class("test/Pair", PAIR);
	image_add_class("[I", image_array_layout(2));
	image_add_class("[J", image_array_layout(3));
	image_add_class("java/lang/Class", MIRROR | 1);
	image_add_class("jdk/internal/vm/StackChunk", CHUNK | 1);
	image_add_class("[Ljdk/internal/vm/FillerElement;", image_array_layout(2));
}

void image_as_heap(void)
{
	world.heap[0] = image_low();
	world.heap[1] = IMAGE_WORDS;
}

void image_build_cards(void)
{
	world.barrier_set_pointer = world.barrier_set;
	world.barrier_set[1] = 1;
	world.barrier_set[2] = (uintptr_t)world.card_table;
	world.card_table[0] = (uintptr_t)image.cards;
	world.card_table[1] = (uintptr_t)image.cards - world.heap[0] / IMAGE_CARD;
	world.card_table[2] = world.heap[1] * 8 / IMAGE_CARD;
	memset(image.cards, 0xff, sizeof image.cards);
	world_add_static("BarrierSet", "_barrier_set", &world.barrier_set_pointer);
	world_add_field("BarrierSet", "_fake_rtti", 0);
	world_add_field("BarrierSet::FakeRtti", "_concrete_tag", 8);
	world_add_field("CardTableBarrierSet", "_card_table", 16);
	world_add_field("CardTable", "_byte_map", 0);
	world_add_field("CardTable", "_byte_map_base", 8);
	world_add_field("CardTable", "_byte_map_size", 16);
	world_add_int("BarrierSet::CardTableBarrierSet", 1);
	world_add_int("BarrierSet::G1BarrierSet", 3);
	world_add_int("CardTable::clean_card", 0xff);
	world_add_int("CardTable::dirty_card", 0);
	world_add_int("CardTable::card_shift", 9);
}

void image_tell_chunks(struct vm *vm)
{
	vm->objects.chunk_size = IMAGE_CHUNK_SIZE;
}

uint64_t image_low(void)
{
	return (uintptr_t)image.words;
}

uint64_t image_align(uint64_t bytes)
{
	const uint64_t mask = (uint64_t)world.alignment - 1;
	return (bytes + mask) & ~mask;
}

/* An object of that class with stale memory in it. */
static uint64_t put(int class, uint64_t bytes)
{
	const uint64_t at = image.top, klass = (uintptr_t)image.klasses[class];
	const uint64_t narrow = (klass - world.klass_base) >> SHIFT;
	image.top += image_align(bytes);
	cr_assert_leq(image.top, image_low() + sizeof image.words);
	memset((void *)(uintptr_t)at, 0xa5, image.top - at);
	uint64_t *words = (uint64_t *)(uintptr_t)at;
	words[0] = image.place == VM_KLASS_IN_MARK ? narrow << MARK_SHIFT | 1 : 1;
	if (image.place == VM_KLASS_WHOLE)
		words[1] = klass;
	else if (image.place == VM_KLASS_NARROW)
		memcpy(&words[1], &narrow, 4);
	return at;
}

static void set_int(uint64_t at, uint32_t value)
{
	memcpy((void *)(uintptr_t)at, &value, sizeof value);
}

uint64_t image_scalar(int class)
{
	int32_t layout;
	memcpy(&layout, (char *)image.klasses[class] + 8, sizeof layout);
	return put(class, (uint64_t)layout & ~UINT64_C(7));
}

uint64_t image_array(int class, uint32_t length)
{
	const unsigned log2 = class == IMAGE_LONGS ? 3 : 2;
	const uint64_t at = put(class, header_bytes() + ((uint64_t)length << log2));
	set_int(at + length_at(), length);
	return at;
}

uint64_t image_mirror(uint32_t words)
{
	const uint64_t at = put(IMAGE_MIRROR, words * 8);
	set_int(at + (uint64_t)world.mirror_words, words);
	return at;
}

uint64_t image_chunk(uint32_t stack_words)
{
	const uint64_t bits = 2 * (uint64_t)stack_words;
	const uint64_t at = put(IMAGE_CHUNK, CHUNK + (stack_words + (bits + 63) / 64) * 8);
	set_int(at + IMAGE_CHUNK_SIZE, stack_words);
	return at;
}
