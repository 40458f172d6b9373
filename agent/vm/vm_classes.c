#include "vm_classes.h"

#include <string.h>

#include <gcspy/memory.h>

enum { MAX_INSTANCE = 1 << 20, MAX_HEADER = 64 };

/* The limit of addresses of a process on 64-bit Linux. */
static const uint64_t MAX_ADDRESS = UINT64_C(1) << 56;

struct vm_classes *vm_classes_create(const struct vm *vm, uint32_t most)
{
	struct vm_classes *c = gcs_zalloc(sizeof *c);
	uint32_t slots = 16;
	if (c == NULL)
		return NULL;
	while (slots < 2 * most)
		slots *= 2;
	c->vm = vm;
	c->most = most;
	c->mask = slots - 1;
	c->slots = gcs_zalloc(slots * sizeof *c->slots);
	c->names = gcs_zalloc(((size_t)most + 1) * sizeof *c->names);
	if (c->slots == NULL || c->names == NULL) {
		vm_classes_destroy(c);
		return NULL;
	}
	c->count = 1;
	c->epoch = 1;
	c->unloaded = vm_objects_unloaded(vm);
	return c;
}

void vm_classes_destroy(struct vm_classes *c)
{
	if (c == NULL)
		return;
	gcs_free(c->slots);
	gcs_free(c->names);
	gcs_free(c);
}

void vm_classes_clear(struct vm_classes *c)
{
	memset(c->slots, 0, ((size_t)c->mask + 1) * sizeof *c->slots);
	c->count = 1;
}

void vm_classes_begin(struct vm_classes *c)
{
	const uint64_t unloaded = vm_objects_unloaded(c->vm);
	c->epoch += unloaded != c->unloaded;
	c->unloaded = unloaded;
	c->fresh = 0;
}

uint32_t vm_classes_count(const struct vm_classes *c)
{
	return c->count;
}

const char *vm_classes_name(const struct vm_classes *c, uint32_t id)
{
	return id <= c->most ? c->names[id] : "";
}

/* Reads a name, cut if it is long. False if the Symbol does not look like one. */
static bool read_name(const struct vm *vm, uint64_t symbol, char name[static VM_CLASS_NAME])
{
	const struct vm_object_fields *f = &vm->objects;
	uint16_t length = 0;
	if (symbol % VM_WORD != 0 || symbol < VM_WORD || symbol >= MAX_ADDRESS ||
	    !vm_reader_copy(&vm->reader, &length, symbol + f->symbol_length, sizeof length) ||
	    length == 0)
		return false;
	const size_t kept = length < VM_CLASS_NAME ? length : VM_CLASS_NAME - 1;
	if (!vm_reader_copy(&vm->reader, name, symbol + f->symbol_body, kept))
		return false;
	name[kept] = '\0';
	for (size_t i = 0; i < kept; i++) {
		const unsigned char c = (unsigned char)name[i];
		if (c < 0x20 || c == 0x7f)
			return false;
	}
	return true;
}

/* HotSpot's Klass::layout_helper: bytes of an instance, or of an array the tag, the bytes of its
 * header and the logarithm of its element size. */
static bool layout_sane(const struct vm_object_fields *f, int32_t layout)
{
	if (layout > 0) {
		const uint32_t bytes = (uint32_t)layout & ~(uint32_t)(VM_WORD - 1);
		return bytes >= f->smallest && bytes <= MAX_INSTANCE;
	}
	const uint32_t bits = (uint32_t)layout;
	const uint32_t header = bits >> 16 & 0xff;
	const uint32_t type = bits >> 8 & 0xff;
	return layout < 0 && header >= f->length_at + 4 && header <= MAX_HEADER && type >= 4 &&
	       type <= 13 && (bits & 0xff) <= 3;
}

/* Copies the needed fields of a Klass. False if it does not look like one. */
static bool read_class(
    const struct vm *vm, uint64_t klass, struct vm_class *class, char name[static VM_CLASS_NAME])
{
	const struct vm_object_fields *f = &vm->objects;
	unsigned char bytes[VM_KLASS_BYTES];
	if (klass % VM_WORD != 0 || klass < VM_WORD || klass >= MAX_ADDRESS ||
	    !vm_reader_copy(&vm->reader, bytes, klass, f->klass_bytes))
		return false;
	*class = (struct vm_class){.klass = klass};
	memcpy(&class->layout, bytes + f->layout, sizeof class->layout);
	memcpy(&class->symbol, bytes + f->name, sizeof class->symbol);
	if (!layout_sane(f, class->layout) || !read_name(vm, class->symbol, name))
		return false;
	if ((class->layout < 0) != (name[0] == '['))
		return false;
	class->form = (uint8_t)(class->layout < 0 ? VM_FORM_ARRAY : VM_FORM_INSTANCE);
	if (strcmp(name, "java/lang/Class") == 0)
		class->form = VM_FORM_MIRROR;
	else if (strcmp(name, "jdk/internal/vm/StackChunk") == 0)
		class->form = VM_FORM_CHUNK;
	class->filler = strcmp(name, "[Ljdk/internal/vm/FillerElement;") == 0 ||
			strcmp(name, "jdk/internal/vm/FillerObject") == 0;
	return true;
}

/* The class's slot, or the empty one in which it would be. */
static struct vm_class *slot_of(struct vm_classes *c, uint64_t klass)
{
	uint64_t hash = klass / VM_WORD * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(hash >> 32) & c->mask;
	while (c->slots[i].klass != klass && c->slots[i].klass != 0)
		i = (i + 1) & c->mask;
	return &c->slots[i];
}

static const struct vm_class *read_again(
    struct vm_classes *c, struct vm_class *slot, uint64_t klass)
{
	char name[VM_CLASS_NAME];
	struct vm_class now;
	c->fresh++;
	if (!read_class(c->vm, klass, &now, name))
		return NULL;
	now.epoch = c->epoch;
	const bool same =
	    slot->klass != 0 && slot->layout == now.layout && strcmp(c->names[slot->id], name) == 0;
	if (same) {
		now.id = slot->id;
	} else if (c->count <= c->most) {
		now.id = c->count++;
		memcpy(c->names[now.id], name, sizeof name);
	} else if (slot->klass == 0) {
		c->other = now;
		return &c->other;
	}
	*slot = now;
	return slot;
}

const struct vm_class *vm_classes_find(struct vm_classes *c, uint64_t klass)
{
	struct vm_class *slot = slot_of(c, klass);
	if (slot->klass == klass && klass != 0 && slot->epoch == c->epoch)
		return slot;
	return read_again(c, slot, klass);
}
