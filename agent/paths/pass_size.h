/*
 * What a pass of a search has to go through, and what that is expected to take.
 *
 * Objects are not all of it: HotSpot walks the stack of each thread in every pass, and that of each
 * virtual thread whose object it meets (JDK-8299414). A heap of 200,000 objects with 20,000 waiting
 * virtual threads takes half a second a pass, nearly all of it for their frames.
 */
#ifndef GCSPY_AGENT_PASS_SIZE_H
#define GCSPY_AGENT_PASS_SIZE_H

#include <jvmti.h>

#include <stdbool.h>
#include <stddef.h>

#include "sampler.h"

/* The JDK whose threads may be virtual. */
enum { VIRTUAL_SINCE = 21 };

struct pass_size {
	double objects;         /* of the heap */
	double threads, frames; /* of the platform's threads; asked of 256 of them at most */
	/* Estimates from samples: virtual threads that have survived a collection, and the bytes of
	 * their stacks while they wait. */
	double virtual_threads, virtual_bytes;
};

/* Counts the threads' frames, one thread after the other, without a pause of all. On a thread of the
 * JVM, which does not come back from it before the JVM lets it. */
void pass_size_count_threads(struct pass_size *size, jvmtiEnv *jvmti, JNIEnv *jni);

/* Since VIRTUAL_SINCE; without effect while sampling is off. Not after sampler_end. */
void pass_size_count_virtual(struct pass_size *size, struct sampler *sampler);

/* Nanoseconds of processor time. `restores`: the JDK goes through the heap once more after the pass,
 * to restore mark words (before 19, JDK-8283710). */
double pass_size_ns(const struct pass_size *size, bool restores);

/* "about 2,204,114 objects after the last collection", with the threads where they count. */
void pass_size_text(const struct pass_size *size, char *text, size_t length);

#endif
