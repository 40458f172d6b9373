/* getxattr is Linux's own. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "program_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, MOST_SCRIPTS = 4 };

static bool is_executable(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return false;
	if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
		return false;
	}
	return true;
}

bool program_find(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH");
	int error = ENOENT;
	if (strchr(name, '/') != NULL) {
		snprintf(path, PATH_MAX, "%s", name);
		return is_executable(path);
	}
	for (const char *at = list == NULL ? "/bin:/usr/bin" : list; name[0] != '\0';) {
		const size_t length = strcspn(at, ":");
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at, length == 0 ? "" : "/", name);
		if (is_executable(path))
			return true;
		error = errno == EACCES ? EACCES : error;
		if (at[length] == '\0')
			break;
		at += length + 1;
	}
	errno = error;
	return false;
}

/* The beginning of a file, with a NUL after it; its length, 0 if it cannot be read. */
static size_t read_head(const char *path, unsigned char head[HEAD_BYTES + 1])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd == -1 ? -1 : read(fd, head, HEAD_BYTES);
	if (fd != -1)
		close(fd);
	head[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* The class and machine of an ELF file as one number; 0: not such a file. */
static unsigned machine(const unsigned char *head, size_t length)
{
	uint16_t value;
	if (length < sizeof(Elf32_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(&value, head + offsetof(Elf64_Ehdr, e_machine), sizeof value);
	return (unsigned)head[EI_CLASS] << 16 | value;
}

/* Of a 64-bit file: it names a dynamic loader. */
static bool names_loader(const unsigned char *head, size_t length)
{
	Elf64_Ehdr file;
	Elf64_Phdr part;
	memcpy(&file, head, sizeof file);
	for (size_t i = 0; i < file.e_phnum; i++) {
		const uint64_t at = file.e_phoff + i * sizeof part;
		if (at > length || length - at < sizeof part)
			return true; /* not known */
		memcpy(&part, head + at, sizeof part);
		if (part.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* The loader leaves LD_PRELOAD out when the program gets rights that the caller does not have. */
static bool gets_rights(const char *path)
{
	struct stat st;
	char value[8];
	if (stat(path, &st) != 0)
		return false;
	return ((st.st_mode & S_ISUID) != 0 && st.st_uid != getuid()) ||
	       ((st.st_mode & S_ISGID) != 0 && (st.st_mode & S_IXGRP) != 0 &&
		   st.st_gid != getgid()) ||
	       (geteuid() != 0 && (getxattr(path, "security.capability", value, sizeof value) > 0 ||
				      errno == ERANGE));
}

/* The interpreter of a script, "#!/bin/sh -e". */
static bool find_interpreter(const unsigned char *head, char path[PATH_MAX])
{
	if (head[0] != '#' || head[1] != '!')
		return false;
	const char *line = (const char *)head + 2;
	line += strspn(line, " \t");
	snprintf(path, PATH_MAX, "%.*s", (int)strcspn(line, " \t\n"), line);
	return path[0] == '/';
}

bool program_takes_preload(const char *path, const char *library, char *why, size_t bytes)
{
	unsigned char head[HEAD_BYTES + 1];
	char current[PATH_MAX];
	why[0] = '\0';
	snprintf(current, sizeof current, "%s", path);
	size_t length = read_head(current, head);
	for (int i = 0; i < MOST_SCRIPTS && find_interpreter(head, current); i++)
		length = read_head(current, head);
	const unsigned is = machine(head, length);
	if (gets_rights(current))
		snprintf(why, bytes,
		    "it is set-user-ID, set-group-ID or has capabilities: no library can be "
		    "preloaded into it");
	else if (is != 0 && head[EI_CLASS] == ELFCLASS64 && !names_loader(head, length))
		snprintf(
		    why, bytes, "it is statically linked: no library can be preloaded into it");
	else if (is != 0 && is != machine(head, read_head(library, head)))
		snprintf(why, bytes, "it is for another kind of processor than GCspy (%s)",
		    is >> 16 == ELFCLASS32 ? "32 bits" : "another machine");
	return why[0] == '\0';
}
