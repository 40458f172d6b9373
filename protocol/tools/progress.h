/*
 * What a command is doing, for a person who waits: a line on standard error that begins after two
 * seconds, is updated, and is gone at the end. Only on a terminal.
 *
 * A thread of its own writes it, so that it also moves while a command computes. One at a time;
 * begin, say and end are for the main thread. Messages (messages.c) clear the line first.
 */
#ifndef GCSPY_TOOLS_PROGRESS_H
#define GCSPY_TOOLS_PROGRESS_H

/* "reading x.gcspy". A second one before the end of the first is part of it. */
void progress_begin(const char *what);

/* What is written after it from now on. */
void progress_say(const char *text);

void progress_end(void);

/* Clears the line, if one is there, because another one will be written. */
void progress_clear(void);

#endif
