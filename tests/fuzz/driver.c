/*
 * Runs a fuzz target without libFuzzer: every file given, or in a folder given, as it is; then for
 * some seconds inputs made of them by random changes. A crash leaves the input behind.
 *
 *	fuzz-X [-seconds=N] [-seed=N] [-keep=FILE] FILE|FOLDER…
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kit.h"

enum { MOST_INPUTS = 1000, MOST_BYTES = 1 << 20 };

struct input {
	uint8_t *bytes;
	size_t length;
};

static struct input inputs[MOST_INPUTS];
static size_t input_count;
static uint8_t now[MOST_BYTES];
static size_t now_length;
static const char *keep = "crash-input";

/* Only calls that a signal handler may make. */
static void keep_input(int sign)
{
	int fd = open(keep, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd != -1) {
		ssize_t n = write(fd, now, now_length);
		(void)n;
		close(fd);
	}
	signal(sign, SIG_DFL);
	raise(sign);
}

static void run(const uint8_t *bytes, size_t length)
{
	memmove(now, bytes, length);
	now_length = length;
	/* A copy of its own size, so that a sanitizer sees each byte read after the end. */
	uint8_t *copy = malloc(length == 0 ? 1 : length);
	if (copy == NULL)
		exit(2);
	memcpy(copy, bytes, length);
	(void)LLVMFuzzerTestOneInput(copy, length);
	free(copy);
}

static void read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL || input_count == MOST_INPUTS) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	size_t length = fread(now, 1, sizeof now, file);
	fclose(file);
	struct input *input = &inputs[input_count++];
	input->bytes = malloc(length == 0 ? 1 : length);
	if (input->bytes == NULL)
		exit(2);
	memcpy(input->bytes, now, length);
	input->length = length;
}

static void read_path(const char *path)
{
	DIR *folder = opendir(path);
	if (folder == NULL) {
		read_file(path);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		char inside[4096];
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README.md") == 0)
			continue;
		snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
		read_file(inside);
	}
	closedir(folder);
}

static void change(uint8_t *bytes, size_t *length, uint64_t *state)
{
	static const uint8_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 64, 16};
	uint32_t at = *length == 0 ? 0 : kit_below(state, (uint32_t)*length);
	size_t rest = *length - at;
	size_t part = rest == 0 ? 0 : kit_below(state, rest < 32 ? (uint32_t)rest : 32);
	switch (*length == 0 ? 3 : kit_below(state, 7)) {
	case 0:
		bytes[at] ^= (uint8_t)(1 << kit_below(state, 8));
		break;
	case 1:
		bytes[at] = edges[kit_below(state, sizeof edges)];
		break;
	case 2:
		memmove(bytes + at, bytes + at + part, rest - part);
		*length -= part;
		break;
	case 3:
		if (*length + 1 >= MOST_BYTES)
			break;
		memmove(bytes + at + 1, bytes + at, rest);
		bytes[at] = (uint8_t)kit_random(state);
		++*length;
		break;
	case 4: /* a part twice */
		if (*length + part >= MOST_BYTES)
			break;
		memmove(bytes + at + part, bytes + at, rest);
		*length += part;
		break;
	case 5: /* a part of another input */
	{
		const struct input *other = &inputs[kit_below(state, (uint32_t)input_count)];
		size_t from = other->length == 0 ? 0 : kit_below(state, (uint32_t)other->length);
		size_t most = other->length - from < rest ? other->length - from : rest;
		memcpy(bytes + at, other->bytes + from, most);
		break;
	}
	default:
		bytes[at] = (uint8_t)(bytes[at] + kit_below(state, 33) - 16);
		break;
	}
}

int main(int argc, char **argv)
{
	static uint8_t bytes[MOST_BYTES];
	unsigned long seconds = 0, runs = 0;
	uint64_t state = (uint64_t)time(NULL);
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "-seconds=", 9) == 0)
			seconds = strtoul(argv[i] + 9, NULL, 10);
		else if (strncmp(argv[i], "-seed=", 6) == 0)
			state = strtoull(argv[i] + 6, NULL, 10);
		else if (strncmp(argv[i], "-keep=", 6) == 0)
			keep = argv[i] + 6;
		else
			read_path(argv[i]);
	}
	if (input_count == 0)
		return fprintf(stderr, "no inputs\n"), 2;
	printf("%zu inputs, then %lu s with -seed=%llu\n", input_count, seconds,
	    (unsigned long long)state);
	fflush(stdout);
	signal(SIGABRT, keep_input);
	for (size_t i = 0; i < input_count; i++)
		run(inputs[i].bytes, inputs[i].length);
	time_t end = time(NULL) + (time_t)seconds;
	for (; time(NULL) < end; runs++) {
		const struct input *input = &inputs[kit_below(&state, (uint32_t)input_count)];
		size_t length = input->length;
		memcpy(bytes, input->bytes, length);
		for (uint32_t n = 1 + kit_below(&state, 6); n != 0; n--)
			change(bytes, &length, &state);
		run(bytes, length);
	}
	printf("%lu changed inputs\n", runs);
	for (size_t i = 0; i < input_count; i++)
		free(inputs[i].bytes);
	return 0;
}
