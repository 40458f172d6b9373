/*
 * The program and its libraries: which file an address belongs to. A library that is closed stays known to the
 * stacks that were taken before: the function dlclose, which this library replaces, sees to that.
 */
#ifndef GCSPYMALLOC_NATIVE_MODULES_H
#define GCSPYMALLOC_NATIVE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

enum { MODULE_PATH = 1024, MODULE_ID = 64 };

struct native_module {
	uint64_t start, end;        /* its addresses */
	uint64_t bias;              /* of an address less that in the file */
	uint64_t until;             /* the last generation that has it */
	char path[MODULE_PATH];     /* absolute */
	char id[2 * MODULE_ID + 1]; /* its build id in hexadecimal digits; "": it has none */
};

/* Grows when a library is closed; part of a stack. Any thread; one load. */
uint64_t native_modules_generation(void);

/* After dlclose: if a module has gone, a new generation begins. */
void native_modules_closed(void);

/* Brings the table up to date: before dlclose, and before modules are looked for. */
void native_modules_update(void);

/* Copies the module that had this address then; false: none. */
bool native_modules_find(uint64_t address, uint64_t generation, struct native_module *module);

/* In the child of fork. */
void native_modules_forget(void);

#endif
