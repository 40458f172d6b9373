/* Where the server listens, for `gcspy` with the process's number or name: an anonymous file among the process's
 * descriptors, as the agent of a JVM has one. */
#ifndef GCSPYMALLOC_MALLOC_ANNOUNCE_H
#define GCSPYMALLOC_MALLOC_ANNOUNCE_H

/* `tcp` and `path` are "" if there is none. */
void announce_listening(const char *tcp, const char *path);

/* In the child of fork: its file would be the parent's. */
void announce_forget(void);

#endif
