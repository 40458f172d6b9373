/*
 * The end of a program whose main thread has left by pthread_exit: the C library calls exit(0) when the last thread
 * ends, and GCspy's threads, which it cannot tell from the program's, never do. So a thread of ours, which begins when
 * the main one leaves, does that.
 */
#ifndef GCSPYMALLOC_LAST_THREAD_H
#define GCSPYMALLOC_LAST_THREAD_H

/* On a thread that ends: starts to watch if it is the main one. */
void last_thread_leaves(void);

/* On a thread of GCspy's that is not one of libgcspy's, and never ends. */
void last_thread_add_own(void);

/* In the child of fork. */
void last_thread_forget(void);

#endif
