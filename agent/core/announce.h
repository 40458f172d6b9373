/*
 * Announces where the agent listens, or why it does not, to programs of the same user (`gcspy
 * attach` and `gcspy list`): an anonymous file that the agent keeps open, so that it is found among
 * the process's descriptors. It needs no writable folder, no other user can read it, and it vanishes
 * with the process.
 *
 * The text has one fact per line: "gcspy 1" first, "end" last, between them "listening ADDRESS" for
 * each address or "refused REASON". Its reader is protocol/discover/announcement.c.
 *
 * One caller at a time: the thread that loads the agent, and later the one that ends the JVM.
 */
#ifndef GCSPY_AGENT_ANNOUNCE_H
#define GCSPY_AGENT_ANNOUNCE_H

/* `tcp` is "HOST:PORT" or "", `socket_path` a path or "". */
void announce_listening(const char *tcp, const char *socket_path);

/* Announces why the agent does not listen. */
void announce_refusal(const char *reason);

#endif
