/*
 * A piece of Java heap made of words, with the classes of its objects, for tests of the walk over
 * objects and of the heap walk without a JVM: the world of vm_world.h tells how its headers look.
 *
 * Build a world, then the image, then open the world. One image for each process, one thread.
 */
#ifndef GCSPY_TESTS_HEAP_IMAGE_H
#define GCSPY_TESTS_HEAP_IMAGE_H

#include "vm_classes.h"
#include "vm_world.h"

enum { IMAGE_WORDS = 8192, IMAGE_CLASSES = 64, IMAGE_CARD = 512 };

/* Classes that are there from the start. A pair has 24 bytes, a filler array looks like an int[]. */
enum image_class {
	IMAGE_PAIR,
	IMAGE_INTS,
	IMAGE_LONGS,
	IMAGE_MIRROR,
	IMAGE_CHUNK,
	IMAGE_FILLER,
	IMAGE_KNOWN
};

struct image {
	_Alignas(512) uint64_t words[IMAGE_WORDS];
	uint64_t top; /* where the next object goes */
	_Alignas(64) uint64_t klasses[IMAGE_CLASSES][16];
	_Alignas(8) unsigned char symbols[IMAGE_CLASSES][64];
	int classes;
	unsigned char cards[IMAGE_WORDS * 8 / IMAGE_CARD];
	enum vm_klass_place place;
};

extern struct image image;

/* Adds to the world what the walk needs. `align`: of objects, in bytes. */
void image_build(enum vm_klass_place place, uint32_t align);

/* Adds a card table for the world's heap, all clean. Cards can be counted if the image is that heap
 * (image_as_heap). */
void image_build_cards(void);

/* Makes the image the range of the world's heap. */
void image_as_heap(void);

/* A further class; its number. */
int image_add_class(const char *name, int32_t layout);

/* The layout helper of an array with elements of 2^log2 bytes. */
int32_t image_array_layout(unsigned log2);

/* Each puts an object at the top and returns its address. */
uint64_t image_scalar(int class);
uint64_t image_array(int class, uint32_t length);
uint64_t image_mirror(uint32_t words);
uint64_t image_chunk(uint32_t stack_words);

/* Bytes of an object up to the next one. */
uint64_t image_align(uint64_t bytes);

/* The address of the image's first word. */
uint64_t image_low(void);

/* Where a StackChunk has its size, which only the JVM's JNI tells. */
enum { IMAGE_CHUNK_SIZE = 16 };
void image_tell_chunks(struct vm *vm);

#endif
