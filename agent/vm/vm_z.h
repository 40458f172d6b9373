/*
 * The pages of a ZGC heap.
 *
 * ZGC uses offsets in its heap; JDK 17 maps the heap at one address for each colour of a pointer,
 * later JDKs once. All addresses here are those of one mapping, the one of uncoloured references
 * between collections, so that they can be compared.
 *
 * Page objects are freed while the program runs. At a safepoint, in the VM thread, they may be read
 * in place (vm_z_pages); at any other time only by safe copies (vm_z_pages_safely), which take
 * about a microsecond per page. Both skip entries that cannot be pages.
 */
#ifndef GCSPY_AGENT_VM_Z_H
#define GCSPY_AGENT_VM_Z_H

#include "vm.h"

enum vm_z_type { VM_Z_SMALL, VM_Z_MEDIUM, VM_Z_LARGE, VM_Z_TYPE_COUNT };

struct vm_z_page {
	uint32_t granule;  /* index of its first granule */
	uint32_t granules; /* number of granules */
	uint64_t used;     /* bytes from its start to its top */
	uint64_t live;     /* bytes that marking found alive; see live_seqnum */
	uint32_t seqnum;   /* number of the cycle in which it was allocated */
	/* number of the cycle whose marking counted them; 0: none */
	uint32_t live_seqnum;
	uint8_t type;       /* enum vm_z_type */
	uint8_t old;        /* 1: of the old generation; 0 without VM_Z_AGE */
	uint8_t age;        /* young collections survived, 15 when old; 0 without VM_Z_AGE */
	uint8_t relocating; /* 1: being evacuated; 0 without VM_Z_RELOCATION */
};

/* Granule i covers [heap + i * granule_bytes, heap + (i + 1) * granule_bytes). Fixed at open. */
struct vm_z_layout {
	uint64_t heap;
	uint64_t granule_bytes;
	size_t granules; /* of the reserved address range, several times the heap's limit */
	size_t pages;    /* maximum at a time */
};

/* The collector's figures of the whole heap. Plain loads of a few words at any time. */
struct vm_z_totals {
	uint64_t used;     /* bytes in pages in use; 0 when it is not exported */
	uint64_t capacity; /* committed bytes; 0 when it is not exported */
	uint32_t seqnum;   /* of the present cycle; 0 when it is not exported (JDK 21 and later) */
};

/* False without VM_Z_PAGES. */
bool vm_z_layout(const struct vm *vm, struct vm_z_layout *layout);

void vm_z_totals(const struct vm *vm, struct vm_z_totals *totals);

/* Captures at most `capacity` pages, in address order; returns how many. At a safepoint in the VM
 * thread only: no memory allocation, locks or system calls. */
size_t vm_z_pages(const struct vm *vm, struct vm_z_page *pages, size_t capacity);

/* The same from any thread at any time, by safe copies. */
size_t vm_z_pages_safely(const struct vm *vm, struct vm_z_page *pages, size_t capacity);

/* The address, as described above, of a pointer that ZGC stores outside the heap; 0 stays 0. */
uint64_t vm_z_address(const struct vm *vm, uint64_t pointer);

#endif
