/*
 * Lookup in the tables in which HotSpot describes its own memory (gHotSpotVMStructs and its
 * siblings, JDK file runtime/vmStructs.cpp): the offset of a field, the address of a static field,
 * the size of a type, the value of a constant.
 *
 * It is independent of collectors. The layout of the tables themselves comes from the strides and
 * column offsets that the JVM exports with them; tests use synthetic tables.
 *
 * Names may differ between JDKs. Every lookup therefore takes a list of candidates in one string,
 * separated by blanks ("G1HeapRegion::_type HeapRegion::_type"); the first exported one is used. A
 * search is linear and takes microseconds: look up once, at open.
 *
 * The tables belong to the JVM and are never written. Any thread.
 */
#ifndef GCSPY_AGENT_VM_STRUCTS_H
#define GCSPY_AGENT_VM_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the address of the named symbol of the JVM's library, or NULL. */
typedef void *vm_symbol_fn(void *context, const char *name);

enum { VM_TABLE_COLUMNS = 6 };

/* One of the four tables, with the offset of each column in a row. */
struct vm_table {
	const unsigned char *first;
	size_t rows;
	size_t stride;
	size_t column[VM_TABLE_COLUMNS];
};

struct vm_structs {
	struct vm_table fields;
	struct vm_table types;
	struct vm_table ints;
	struct vm_table longs;
};

struct vm_field {
	bool is_static;
	size_t offset;           /* from the start of its object; 0 when static */
	uintptr_t address;       /* of the static field; 0 when not static */
	const char *type_string; /* never NULL, may be "" */
};

/* Finds the four tables through `find`. False, with the first missing or impossible symbol in
 * `*missing`, when this JVM does not have them. */
bool vm_structs_load(
    struct vm_structs *structs, vm_symbol_fn *find, void *context, const char **missing);

/* Finds the first exported of the candidates `names` ("Type::field …"). */
bool vm_structs_field(const struct vm_structs *structs, const char *names, struct vm_field *field);

/* The size in bytes of the first exported of the types `names`, 0 without one. */
size_t vm_structs_size(const struct vm_structs *structs, const char *names);

/* The value of the first exported of the int or long constants `names`. */
bool vm_structs_constant(const struct vm_structs *structs, const char *names, int64_t *value);

/* A series of lookups that fails as a whole. The first name list without a hit stays in `missing`;
 * the results are valid only while it is NULL. Start with {.structs = …}. */
struct vm_lookup {
	const struct vm_structs *structs;
	const char *missing;
};

/* The offset of a field that is not static. */
size_t vm_lookup_offset(struct vm_lookup *lookup, const char *names);

/* The address of a static field. */
uintptr_t vm_lookup_static(struct vm_lookup *lookup, const char *names);

/* The value of a constant. */
int64_t vm_lookup_constant(struct vm_lookup *lookup, const char *names);

#endif
