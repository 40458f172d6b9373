/*
 * What code at an address of an ELF file is: by libdw of elfutils, which also finds separate debug files. It is
 * opened when it is first needed; without it nothing is known.
 *
 * One thread at a time.
 */
#ifndef GCSPY_PROFILE_ELF_NAMES_H
#define GCSPY_PROFILE_ELF_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/* Opens a regular file with this build id in hexadecimal digits; "": one that has not been changed since
 * `since_ns`. NULL if there is none, or without libdw. Never closed. */
struct elf_file *elf_open(const char *path, const char *id, int64_t since_ns);

struct elf_code {
	char function[1024]; /* demangled, without parameters */
	char file[256];      /* without folders; "": not known */
	uint32_t line;
};

/* The code at an address as the file's headers have it; false: not known. */
bool elf_find(struct elf_file *file, uint64_t address, struct elf_code *code);

#endif
