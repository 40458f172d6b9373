/* From the words of the command line to struct cli_arguments. */

#include <stdio.h>
#include <string.h>

#include "jvm_name.h"
#include "nearest.h"
#include "resolve.h"
#include "served_address.h"
#include "tool.h"

enum {
	DEFAULT_TIMEOUT_MS = 10000,
	DEFAULT_PROFILES_MS = 60000,
	DEFAULT_PORT = 3000,
	DEFAULT_TOP_CLASSES = 20,
	DEFAULT_MIN_AGE_MS = 10000,
	DEFAULT_EVERY_MS = 15000,
	DEFAULT_QUEUE = 16 << 20,
	DEFAULT_RECORDINGS = 256 << 20
};

#define AN_ADDRESS "an ADDRESS: PID, NAME, HOST:PORT, PORT or unix:PATH"
#define A_PROCESS  "a PID or the name of a program; `gcspy list` shows the running JVMs"

/* How many operands there are of each kind, and what to ask for when one is missing. */
static const struct {
	int least, most;
	const char *missing;
} operands[] = {
    [CLI_OPERAND_NONE] = {0, 0, ""},
    [CLI_OPERAND_ADDRESS] = {1, 1, AN_ADDRESS},
    [CLI_OPERAND_SOURCE] = {1, 1, AN_ADDRESS "; or a FILE"},
    [CLI_OPERAND_FILE] = {1, 1, "a FILE: a trace that `gcspy record` has written"},
    [CLI_OPERAND_PAIR] = {2, 2, "two trace files"},
    [CLI_OPERAND_SETTING] = {1, 2, AN_ADDRESS},
    [CLI_OPERAND_QUESTION] = {1, 2 + GCS_MAX_PARAMETERS, AN_ADDRESS},
    [CLI_OPERAND_TOPIC] = {0, 1, ""},
    [CLI_OPERAND_PROCESS] = {1, 1, A_PROCESS},
    [CLI_OPERAND_PROCESS_OPTIONS] = {1, 2, A_PROCESS},
    [CLI_OPERAND_PROGRAM] = {1, 1, "a PROGRAM to execute"},
};

static const struct cli_option *find_option(
    const struct cli_command *command, const char *name, size_t length)
{
	const struct cli_option *o = NULL;
	while ((o = cli_next_option(command, o)) != NULL)
		if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
			return o;
	return NULL;
}

static void refuse_option(const struct cli_command *command, const char *word, size_t length)
{
	char list[512] = "", name[64], meant[64];
	const struct cli_option *o = NULL;
	snprintf(name, sizeof name, "%.*s", (int)length, word);
	struct nearest nearest = nearest_begin(name);
	while ((o = cli_next_option(command, o)) != NULL) {
		const size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s, ", o->name);
		nearest_try(&nearest, o->name);
	}
	if (nearest.meant != NULL)
		cli_usage("%s: unknown option \"%s\"%s; `gcspy help %s` lists them", command->name,
		    name, nearest_words(&nearest, meant, sizeof meant), command->name);
	else
		cli_usage("%s: unknown option \"%.*s\"; available: %s--help", command->name,
		    (int)length, word, list);
}

/* The option in words[*at]; moves on when its value is the next word. */
static bool take_option(const struct cli_command *command, int count, char **words, int *at,
    struct cli_arguments *arguments)
{
	const char *word = strcmp(words[*at], "-o") == 0 ? "--output" : words[*at];
	const char *equals = strchr(word, '=');
	const size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
	const struct cli_option *o = find_option(command, word, length);
	if (o == NULL) {
		refuse_option(command, word, length);
		return false;
	}
	const bool takes = o->argument[0] != '\0';
	if (!takes && equals != NULL) {
		cli_usage("%s takes no value", o->name);
		return false;
	}
	if (takes && equals == NULL && *at + 1 >= count) {
		cli_usage("%s %s: the value is missing", o->name, o->argument);
		return false;
	}
	return cli_apply(arguments, o, !takes ? "" : equals != NULL ? equals + 1 : words[++*at]);
}

static bool is_of_process(const struct cli_command *command)
{
	return command->operand == CLI_OPERAND_PROCESS ||
	       command->operand == CLI_OPERAND_PROCESS_OPTIONS;
}

/* The word as operand number `number` of the command, from 0. */
static bool take_operand(const struct cli_command *command, int number, const char *word,
    struct cli_arguments *arguments)
{
	uint64_t process;
	if (number >= operands[command->operand].most) {
		cli_usage("%s: extra argument \"%s\"; see `gcspy help %s`", command->name, word,
		    command->name);
		return false;
	}
	if (number < 2)
		*(number == 0 ? &arguments->address : &arguments->other) = word;
	else
		arguments->parameters[arguments->parameter_count++] = word;
	if (number != 0 || !is_of_process(command))
		return true;
	struct gcs_error err;
	if (cli_parse_number(word, 1, INT32_MAX, &process))
		arguments->process = (long)process;
	else if (strspn(word, "-0123456789.") == strlen(word))
		return cli_usage("%s: \"%s\" is not " A_PROCESS, command->name, word), false;
	else if ((arguments->process = jvm_named(word, &err)) == 0)
		return cli_usage("%s: %s", command->name, err.text), false;
	return true;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Makes the address one behind the `gcspy serve` of --via. */
static bool add_url(struct cli_arguments *arguments)
{
	static char address[RESOLVE_ADDRESS];
	const char *via = arguments->via;
	size_t length = strlen(via);
	while (length != 0 && via[length - 1] == '/')
		length--;
	const int n =
	    snprintf(address, sizeof address, "%.*s/%s", (int)length, via, arguments->address);
	arguments->address = address;
	if (n > 0 && (size_t)n < sizeof address && length != 0 && served_address_is(address))
		return true;
	cli_usage("--via \"%.100s\": expected the URL of a gcspy serve: http://HOST:PORT", via);
	return false;
}

bool cli_parse(const struct cli_command *command, int count, char **words,
    struct cli_arguments *arguments, bool *wants_help)
{
	bool only_operands = false;
	int number = 0;
	*arguments = (struct cli_arguments){
	    .format = GCS_EXPORT_FORMAT_COUNT,
	    .port = DEFAULT_PORT,
	    .speed = 1,
	    .profiles_ms = DEFAULT_PROFILES_MS,
	    .what = CLI_WHAT_COUNT,
	    .action = CLI_NO_ACTION,
	    .run_port = CLI_NOT_GIVEN,
	    .update_ms = CLI_NOT_GIVEN,
	    .deferred = CLI_NOT_GIVEN,
	    .interval = UINT64_MAX,
	    .top_classes = DEFAULT_TOP_CLASSES,
	    .min_age_ms = DEFAULT_MIN_AGE_MS,
	    .every_ms = DEFAULT_EVERY_MS,
	    .queue_bytes = DEFAULT_QUEUE,
	    .recordings_bytes = DEFAULT_RECORDINGS,
	    .words = words,
	};
	*wants_help = false;
	for (int i = 0; i < count && !*wants_help && arguments->program == NULL; i++) {
		const char *word = words[i];
		if (!only_operands && strcmp(word, "--") == 0)
			only_operands = true;
		else if (!only_operands && is_help(word))
			*wants_help = true;
		else if (command->operand == CLI_OPERAND_PROGRAM &&
			 (only_operands || word[0] != '-' || word[1] == '\0'))
			arguments->program = &words[i], number++;
		else if (!only_operands && word[0] == '-' && word[1] != '\0'
			     ? !take_option(command, count, words, &i, arguments)
			     : !take_operand(command, number++, word, arguments))
			return false;
	}
	if (arguments->via != NULL && arguments->address != NULL && !add_url(arguments))
		return false;
	arguments->timeout_given = arguments->timeout_ms != 0;
	if (!arguments->timeout_given)
		arguments->timeout_ms = DEFAULT_TIMEOUT_MS;
	if (*wants_help || number >= operands[command->operand].least)
		return true;
	cli_usage("%s needs %s", command->name, operands[command->operand].missing);
	return false;
}
