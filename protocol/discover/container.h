/* The container that a process runs in, as the names of its control groups tell it. */
#ifndef GCSPY_DISCOVER_CONTAINER_H
#define GCSPY_DISCOVER_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

/* 64 hexadecimal digits, as containerd, CRI-O, Docker and Podman number their containers, and a NUL byte. */
enum { CONTAINER_DIGITS = 64, CONTAINER_ID = CONTAINER_DIGITS + 1 };

/* The last such number in the text of /proc/PID/cgroup; false and "" without one. Accepts any text. */
bool container_parse(const char *text, size_t length, char id[CONTAINER_ID]);

/* The same of a process; false and "" if it is in none, or that is not known. */
bool container_of(long pid, char id[CONTAINER_ID]);

#endif
