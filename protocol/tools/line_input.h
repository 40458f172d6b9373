/*
 * Lines of standard input, taken without ever waiting for them.
 *
 * The caller owns the struct and polls the descriptor that input_descriptor gives. Main thread.
 */
#ifndef GCSPY_TOOLS_LINE_INPUT_H
#define GCSPY_TOOLS_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
	bool terminal;
	bool ended; /* there will be no more bytes */
	bool used;  /* something was typed */
	size_t length;
	char bytes[512];
};

void input_init(struct input *input);

/*
 * The descriptor to poll for input, or -1 while there is nothing to read from: at its end, while
 * lines wait, and while a terminal belongs to another program (reading would stop us, and with us
 * the answers that keep the server's hold).
 */
int input_descriptor(const struct input *input);

/* Reads what there is. Only after poll has said so. */
void input_read(struct input *input);

/*
 * The next line without its end, or NULL when none is complete; a line longer than the buffer comes
 * in parts, and at the end of input what is left is a line. Valid until input_drop.
 */
const char *input_line(struct input *input);

/* Forgets the line that input_line gave. */
void input_drop(struct input *input);

#endif
