/*
 * Lines of standard input, read without waiting.
 *
 * The caller owns the struct and polls the descriptor that input_descriptor gives. Main thread.
 */
#ifndef GCSPY_TOOLS_LINE_INPUT_H
#define GCSPY_TOOLS_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
	bool terminal;
	bool ended; /* no more bytes will come */
	bool used;  /* something was typed */
	size_t length;
	char bytes[512];
};

void input_init(struct input *input);

/*
 * The descriptor to poll for input, or -1: at the end of input, while lines are pending, and while
 * the terminal belongs to another program (reading would stop this one, and with it the keep-alive
 * of its hold).
 */
int input_descriptor(const struct input *input);

/* Reads what is available; only after poll has reported input. */
void input_read(struct input *input);

/*
 * The next line without its end, or NULL when none is complete. A line longer than the buffer comes
 * in parts; at the end of input the rest is a line. Valid until input_drop.
 */
const char *input_line(struct input *input);

/* Drops the line that input_line returned. */
void input_drop(struct input *input);

#endif
