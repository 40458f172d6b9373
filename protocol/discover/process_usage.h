/*
 * What a JVM's process has used of the machine, from /proc alone: processor time, that of the collector's threads,
 * and memory (E3). Contacts no process. One thread at a time.
 */
#ifndef GCSPY_DISCOVER_PROCESS_USAGE_H
#define GCSPY_DISCOVER_PROCESS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process_usage {
	bool known, gc_known;
	double cpu_s;    /* of all its threads since it began */
	double gc_cpu_s; /* of those that collect */
	uint64_t resident_bytes;
};

enum { USAGE_THREADS = 512, USAGE_NAME = 16 };

/* The collector's threads as they were last seen; zeroed at first. */
struct usage_threads {
	uint64_t again_ms; /* when to look for new ones */
	uint32_t count;
	bool too_many;
	double ended_s; /* of those that have ended */
	struct usage_thread {
		long id;
		double seconds;
	} items[USAGE_THREADS];
};

/* Reads it now. With the Serial collector (`vm_thread`) it is the VM's thread that collects. */
void process_usage_read(
    long pid, bool vm_thread, struct usage_threads *threads, struct process_usage *usage);

/* Seconds since the process began; 0 if it cannot be seen. */
double process_age(long pid);

/* The name and the processor time, in ticks, in the text of /proc/PID/stat or /proc/PID/task/ID/stat, which ends
 * with a NUL byte; false of any other text. */
bool usage_parse(const char *text, char name[USAGE_NAME], uint64_t *ticks);

/* When a thread began, in ticks since the machine did, in the same text; false of any other. */
bool usage_parse_start(const char *text, uint64_t *ticks);

/* Whether a thread of this name collects. Names have at most 15 bytes. */
bool usage_collects(const char *name, bool vm_thread);

#endif
