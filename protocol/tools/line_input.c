#include "line_input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void input_init(struct input *input)
{
	*input = (struct input){.terminal = isatty(STDIN_FILENO) == 1};
}

static bool has_line(const struct input *input)
{
	return memchr(input->bytes, '\n', input->length) != NULL ||
	       input->length == sizeof input->bytes - 1 || (input->ended && input->length != 0);
}

int input_descriptor(const struct input *input)
{
	bool ours = !input->terminal || tcgetpgrp(STDIN_FILENO) == getpgrp();
	return input->ended || has_line(input) || !ours ? -1 : STDIN_FILENO;
}

void input_read(struct input *input)
{
	ssize_t n = read(
	    STDIN_FILENO, input->bytes + input->length, sizeof input->bytes - 1 - input->length);
	if (n > 0) {
		input->length += (size_t)n;
		input->used = true;
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
		input->ended = true;
	}
}

const char *input_line(struct input *input)
{
	if (!has_line(input))
		return NULL;
	char *end = memchr(input->bytes, '\n', input->length);
	if (end == NULL)
		end = input->bytes + input->length;
	*end = '\0';
	return input->bytes;
}

void input_drop(struct input *input)
{
	size_t used = strlen(input->bytes) + 1;
	if (used > input->length)
		used = input->length;
	memmove(input->bytes, input->bytes + used, input->length - used);
	input->length -= used;
}
