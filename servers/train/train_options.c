#include "train_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, U32, U64, I64, BYTES, REAL, MUTATOR };

static const struct option {
	struct program_option is;
	enum kind kind;
	size_t offset;
	double min, max; /* of numbers */
} table[] = {
#define IN(member) offsetof(struct program_options, member)
    {{"mutator", "NAME", "the program that uses the heap"}, MUTATOR, IN(mutator), 0, 0},
    {{"size", "N", "how much of it lives"}, U64, IN(size), 1, 1e8},
    {{"steps", "N", "steps after that has been built"}, U64, IN(steps), 0, 1e12},
    {{"seed", "N", "of its random numbers"}, U64, IN(seed), 0, 1.8e19},
    {{"port", "N", "TCP port; 0: any free one; -1: none"}, I64, IN(port), -1, 65535},
    {{"host", "ADDRESS", "to listen on; default 127.0.0.1"}, TEXT, IN(host), 0, 0},
    {{"socket", "PATH", "Unix socket to listen on"}, TEXT, IN(socket_path), 0, 0},
    {{"record", "FILE", "record all events to a file"}, TEXT, IN(record), 0, 0},
    {{"figure", "N", "draw this figure of the paper, 5 to 9, and end"}, U64, IN(figure), 5, 9},
    {{"output", "FILE", "the figure, a PNG image; also -o"}, TEXT, IN(output), 0, 0},
    {{"pace", "N", "events per second that clients are shown; 0: no limit"}, U64, IN(pace), 0, 1e6},
    {{"wait", NULL, "wait for the first client"}, FLAG, IN(wait), 0, 0},
    {{"young", "BYTES", "size of a semi-space"}, BYTES, IN(heap.young_bytes), 16384, 1 << 30},
    {{"promote-age", "N", "copies that an object survives before it is promoted"}, U32,
	IN(heap.promote_age), 0, 100},
    {{"large", "BYTES", "larger objects are allocated in the old generation"}, BYTES,
	IN(heap.large_bytes), 64, 32768},
    {{"regions", "N", "old generation, in regions of 64 KiB"}, U32, IN(heap.regions), 16, 65536},
    {{"fill", "CARS", "allocation that closes the youngest train"}, U32, IN(heap.fill_cars), 1,
	1024},
    {{"rate", "X", "bytes to collect per byte promoted"}, REAL, IN(heap.rate), 0, 100},
    {{"max-cset", "CARS", "most cars collected in one step"}, U32, IN(heap.max_cset), 1, 256},
    {{"target", "CARS", "collect more above this number of cars; 0: no"}, U32, IN(heap.target_cars),
	0, 1e6},
    {{"popular", "N", "references that make an object popular; 0: none is"}, U32,
	IN(heap.popular_at), 0, 65535},
    {{"popular-car", "BYTES", "size of a popular car, a power of two"}, BYTES,
	IN(heap.popular_bytes), 512, 32768},
    {{"popular-reserve", "N", "lowest regions kept for popular cars"}, U32,
	IN(heap.popular_reserve), 0, 65535},
    {{"coarsen", "N", "entries at which remembered sets coarsen; 0: never"}, U32,
	IN(heap.coarsen_at), 0, 1e9},
    {{"no-guard", NULL, "no guard against futile collections"}, FLAG, IN(heap.no_guard), 0, 0},
    {{"verify", NULL, "check the heap before and after each collection"}, FLAG, IN(heap.verify), 0,
	0},
    {{"quiet", NULL, "no summary at the end"}, FLAG, IN(quiet), 0, 0},
    {{"help", NULL, "this text"}, FLAG, IN(help), 0, 0},
#undef IN
};

enum { OPTIONS = sizeof table / sizeof table[0] };

static const struct option *find(const char *name, size_t length)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (strlen(table[i].is.name) == length &&
		    strncmp(table[i].is.name, name, length) == 0)
			return &table[i];
	return NULL;
}

/* Bytes may end in K or M. */
static bool parse_number(const struct option *option, const char *text, double *value)
{
	char *end;
	errno = 0;
	*value = strtod(text, &end);
	if (end == text || errno != 0 || isspace((unsigned char)*text))
		return false;
	if (option->kind == BYTES && (*end == 'K' || *end == 'k'))
		*value *= 1024, end++;
	else if (option->kind == BYTES && (*end == 'M' || *end == 'm'))
		*value *= 1048576, end++;
	bool whole = option->kind == REAL || *value == (double)(int64_t)*value || *value > 9e18;
	return *end == '\0' && whole && *value >= option->min && *value <= option->max;
}

static void store_number(const struct option *option, void *field, double value)
{
	if (option->kind == REAL)
		*(double *)field = value;
	else if (option->kind == I64)
		*(int64_t *)field = (int64_t)value;
	else if (option->kind == U64)
		*(uint64_t *)field = (uint64_t)value;
	else if (option->offset == offsetof(struct program_options, heap.young_bytes))
		*(size_t *)field = (size_t)value;
	else
		*(uint32_t *)field = (uint32_t)value;
}

static bool set_mutator(struct program_options *options, const char *name, char *why, size_t bytes)
{
	options->mutator = mutator_find(name);
	if (options->mutator != NULL)
		return true;
	int length = snprintf(why, bytes, "unknown mutator \"%s\"; available:", name);
	for (size_t i = 0; mutator_at(i) != NULL && length > 0 && (size_t)length < bytes; i++)
		length += snprintf(why + length, bytes - (size_t)length, "%s %s", i > 0 ? "," : "",
		    mutator_at(i)->name);
	return false;
}

static bool set(struct program_options *options, const struct option *option, const char *text,
    char *why, size_t bytes)
{
	void *field = (char *)options + option->offset;
	double value;
	switch (option->kind) {
	case FLAG:
		*(bool *)field = true;
		return true;
	case TEXT:
		*(const char **)field = text;
		return true;
	case MUTATOR:
		return set_mutator(options, text, why, bytes);
	default:
		if (parse_number(option, text, &value)) {
			store_number(option, field, value);
			return true;
		}
		snprintf(why, bytes, "%s=%s: expected %s, %.17g to %.17g", option->is.name, text,
		    option->kind == REAL    ? "a number"
		    : option->kind == BYTES ? "bytes, such as 512K"
					    : "a whole number",
		    option->min, option->max);
		return false;
	}
}

/* One pass over the arguments; `only` of one kind, or of all but that. */
static bool pass(struct program_options *options, int argc, char *const argv[], bool mutator,
    char *why, size_t bytes)
{
	for (int i = 1; i < argc; i++) {
		const char *name = strcmp(argv[i], "-o") == 0       ? "output"
				   : strncmp(argv[i], "--", 2) == 0 ? argv[i] + 2
								    : argv[i];
		size_t length = strcspn(name, "=");
		const struct option *option = find(name, length);
		const char *value = name[length] == '=' ? name + length + 1 : NULL;
		if (option == NULL || (name == argv[i] && value == NULL)) {
			snprintf(
			    why, bytes, "unknown option \"%s\"; see gcspy-train --help", argv[i]);
			return false;
		}
		if (option->kind == FLAG ? value != NULL : value == NULL && ++i == argc) {
			snprintf(why, bytes, "option %s %s a value", option->is.name,
			    option->kind == FLAG ? "has not" : "needs");
			return false;
		}
		if (value == NULL)
			value = argv[i];
		if ((option->kind == MUTATOR) == mutator &&
		    !set(options, option, value, why, bytes))
			return false;
	}
	return true;
}

bool program_options_parse(
    struct program_options *options, int argc, char *const argv[], char *why, size_t why_bytes)
{
	*options = (struct program_options){.mutator = mutator_at(0), .seed = 1, .pace = 100};
	if (!pass(options, argc, argv, true, why, why_bytes))
		return false;
	options->size = options->mutator->size;
	options->steps = options->mutator->steps;
	train_options_init(&options->heap);
	options->mutator->tune(&options->heap);
	return pass(options, argc, argv, false, why, why_bytes);
}

bool program_options_for_figure(struct program_options *options, const struct figure_part *part,
    int argc, char *const argv[], char *why, size_t why_bytes)
{
	int count = 1;
	char **both = calloc((size_t)argc + FIGURE_OPTIONS + 1, sizeof *both);
	if (both == NULL) {
		snprintf(why, why_bytes, "no memory");
		return false;
	}
	for (int i = 0; i < FIGURE_OPTIONS && part->options[i] != NULL; i++)
		both[count++] = (char *)part->options[i];
	for (int i = 1; i < argc; i++)
		both[count++] = argv[i];
	bool good = program_options_parse(options, count, both, why, why_bytes);
	free(both);
	return good;
}

const struct program_option *program_option_at(size_t i)
{
	return i < OPTIONS ? &table[i].is : NULL;
}

const char program_options_about[] =
    "A heap with a Train collector, for GCspy's visualiser to attach to. Each option is\n"
    "--NAME VALUE, --NAME=VALUE or NAME=VALUE.";

const char program_options_exit[] =
    "0 after the mutator, and after SIGINT or SIGTERM; 1 if the mutator's result or\n"
    "the heap is wrong, the heap is full, or a figure cannot be drawn; 2 for wrong\n"
    "options or if it cannot listen.";

/* Of a number that has one; `size` and `steps` stand with their mutators. */
static void print_default(const struct option *option, const void *field)
{
	if (option->kind == U32)
		printf("; default %u", *(const uint32_t *)field);
	else if (option->kind == REAL)
		printf("; default %g", *(const double *)field);
	else if (option->kind == BYTES &&
		 option->offset == offsetof(struct program_options, heap.young_bytes))
		printf("; default %zuK", *(const size_t *)field / 1024);
	else if (option->kind == BYTES)
		printf("; default %u", *(const uint32_t *)field);
	else if (option->offset == offsetof(struct program_options, seed) ||
		 option->offset == offsetof(struct program_options, pace))
		printf("; default %llu", (unsigned long long)*(const uint64_t *)field);
}

void program_options_help(const struct program_options *defaults)
{
	printf("usage: gcspy-train [--mutator NAME] [OPTION]…\n\n%s\n\n", program_options_about);
	for (size_t i = 0; i < OPTIONS; i++) {
		char left[40];
		snprintf(left, sizeof left, "--%s %s", table[i].is.name,
		    table[i].is.value != NULL ? table[i].is.value : "");
		printf("  %-24s %s", left, table[i].is.help);
		print_default(&table[i], (const char *)defaults + table[i].offset);
		printf("\n");
	}
	printf("\nThese defaults are for %s; --mutator NAME --help shows another's.\n"
	       "\nMutators, with their size and steps by default:\n\n",
	    defaults->mutator->name);
	for (size_t i = 0; mutator_at(i) != NULL; i++)
		printf("  %-10s %s\n  %-10s size %llu %s; steps %llu\n", mutator_at(i)->name,
		    mutator_at(i)->summary, "", (unsigned long long)mutator_at(i)->size,
		    mutator_at(i)->size_means, (unsigned long long)mutator_at(i)->steps);
	printf("\nFigures, drawn by the gcspy-view beside this program or in PATH:\n\n");
	for (size_t i = 0; figure_at(i) != NULL; i++)
		printf("  %-10u %s\n", (unsigned)figure_at(i)->number, figure_at(i)->shows);
	printf("\nExit status:\n\n%s\n", program_options_exit);
}
