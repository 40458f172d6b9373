#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/token.h>

#include "zoom_request.h"

enum { DEFAULT_TIMEOUT_MS = 10000, DEFAULT_PROFILES_MS = 60000 };

struct option_text {
	const char *name;
	const char *argument;
	const char *help;
};

static const struct option_text options[CLI_OPTION_COUNT] = {
#define X(id, option_name, option_argument, option_help)                                           \
	[CLI_##id] = {.name = option_name, .argument = option_argument, .help = option_help},
    CLI_OPTIONS(X)
#undef X
};

const char *cli_option_usage(char *buffer, size_t size, enum cli_option option)
{
	const struct option_text *o = &options[option];
	snprintf(buffer, size, "--%s%s%s", o->name, o->argument[0] == '\0' ? "" : " ", o->argument);
	return buffer;
}

const char *cli_option_help(enum cli_option option)
{
	return options[option].help;
}

const char *cli_read_token(const char *path)
{
	static char token[GCS_MAX_TOKEN + 1];
	char warning[GCS_TOKEN_WARNING];
	struct gcs_error err;
	if (gcs_token_read(path, token, warning, &err) != GCS_OK) {
		cli_usage("--token-file: %s", err.text);
		return NULL;
	}
	if (warning[0] != '\0')
		cli_warn("warning: %s", warning);
	return token;
}

bool cli_parse_seconds(const char *text, double least, double most, uint32_t *ms)
{
	if (text[0] == '\0' || strlen(text) > 16 || strspn(text, "0123456789.") != strlen(text))
		return false;
	char *end;
	double seconds = strtod(text, &end);
	if (end == text || *end != '\0' || seconds < least || seconds > most)
		return false;
	*ms = (uint32_t)(seconds * 1000);
	return true;
}

bool cli_parse_count(const char *text, uint32_t most, uint32_t *count)
{
	if (text[0] == '\0' || strlen(text) > 10 || strspn(text, "0123456789") != strlen(text))
		return false;
	unsigned long long value = strtoull(text, NULL, 10);
	*count = (uint32_t)value;
	return value >= 1 && value <= most;
}

/* Each option's value, with what is allowed said if it is not. */
static bool apply(struct cli_arguments *a, enum cli_option option, const char *value)
{
	switch (option) {
	case CLI_TOKEN_FILE:
		a->token = cli_read_token(value);
		return a->token != NULL;
	case CLI_TIMEOUT:
		a->timeout_given = true;
		if (cli_parse_seconds(value, 0.1, 86400, &a->timeout_ms))
			return true;
		cli_usage("--timeout \"%s\": seconds from 0.1 to 86400 are allowed", value);
		return false;
	case CLI_SECONDS:
		if (cli_parse_seconds(value, 0.1, 1000000, &a->seconds_ms))
			return true;
		cli_usage("--seconds \"%s\": seconds from 0.1 to 1000000 are allowed", value);
		return false;
	case CLI_EVENTS:
		if (cli_parse_count(value, 1000000000, &a->events))
			return true;
		cli_usage("--events \"%s\": a number from 1 to 1000000000 is allowed", value);
		return false;
	case CLI_FORMAT:
		a->json = strcmp(value, "json") == 0;
		if (a->json || strcmp(value, "text") == 0)
			return true;
		cli_usage("--format \"%s\": text and json are allowed", value);
		return false;
	case CLI_EVENT:
		a->event = value;
		return true;
	case CLI_SPACE:
		a->space = value;
		return true;
	case CLI_AGENT:
		a->agent = value;
		return true;
	case CLI_FROM:
		a->from = value;
		return true;
	case CLI_TO:
		a->to = value;
		return true;
	case CLI_VALUES:
		a->values = true;
		return true;
	case CLI_PORT:
	case CLI_HOST:
	case CLI_ALLOW:
	case CLI_SPEED:
	case CLI_LOOP:
	case CLI_ONCE:
	case CLI_GAP:
		return cli_apply_replay(a, option, value);
	case CLI_TRACE:
	case CLI_FORCE:
	case CLI_MAX_SIZE:
	case CLI_PROFILES:
	case CLI_LEVEL:
		return cli_apply_record(a, option, value);
	case CLI_ZOOM:
		if (zoom_parse_range(value, &a->zoom_start, &a->zoom_end))
			return true;
		cli_usage("--zoom \"%s\": two addresses are allowed, the second one above the "
			  "first: 0xSTART-0xEND",
		    value);
		return false;
	case CLI_BLOCK:
		if (zoom_parse_block(value, &a->block))
			return true;
		cli_usage("--block \"%s\": powers of two from 512 are allowed, such as 4096 or 4k",
		    value);
		return false;
	default:
		return cli_apply_sites(a, option, value);
	}
}

static void list_allowed(const struct cli_command *command, char *list, size_t size)
{
	list[0] = '\0';
	for (unsigned i = 0; i < CLI_OPTION_COUNT; i++)
		if ((command->options & CLI_ALLOWS(i)) != 0) {
			size_t used = strlen(list);
			snprintf(list + used, size - used, "--%s, ", options[i].name);
		}
	size_t used = strlen(list);
	snprintf(list + used, size - used, "--help");
}

static bool find_option(
    const struct cli_command *command, const char *name, size_t length, unsigned *option)
{
	for (unsigned i = 0; i < CLI_OPTION_COUNT; i++)
		if ((command->options & CLI_ALLOWS(i)) != 0 && strlen(options[i].name) == length &&
		    strncmp(options[i].name, name, length) == 0) {
			*option = i;
			return true;
		}
	return false;
}

/* The one option with a letter of its own is the one that other programs have too. */
static const char *spelt_out(const char *word)
{
	return strcmp(word, "-o") == 0 ? "--output" : word;
}

/* The option in words[*at]; moves on when its value is the next word. */
static bool take_option(const struct cli_command *command, int count, char **words, int *at,
    struct cli_arguments *arguments)
{
	const char *word = spelt_out(words[*at]);
	const char *equals = strchr(word, '=');
	size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
	unsigned option;
	if (length < 2 || !find_option(command, word + 2, length - 2, &option) || word[1] != '-') {
		char list[512];
		list_allowed(command, list, sizeof list);
		cli_usage("%s has no option \"%.*s\": %s are allowed", command->name, (int)length,
		    word, list);
		return false;
	}
	char class_name_format[64];
	cli_option_usage(class_name_format, sizeof class_name_format, (enum cli_option)option);
	bool takes = options[option].argument[0] != '\0';
	if (!takes && equals != NULL) {
		cli_usage("%s takes no value", class_name_format);
		return false;
	}
	if (takes && equals == NULL && *at + 1 >= count) {
		cli_usage("%s: the value is missing", class_name_format);
		return false;
	}
	const char *value = !takes ? "" : equals != NULL ? equals + 1 : words[++*at];
	return apply(arguments, (enum cli_option)option, value);
}

static bool take_process(
    const struct cli_command *command, const char *word, struct cli_arguments *arguments)
{
	uint32_t process;
	const bool more = command->operand == CLI_OPERAND_PROCESS_OPTIONS;
	if (more && arguments->process != 0 && arguments->agent_options == NULL) {
		arguments->agent_options = word;
		return true;
	}
	if (arguments->process != 0) {
		cli_usage("%s: \"%s\" is too much%s", command->name, word,
		    more ? "; the agent's options are one word, key=value,key=value" : "");
		return false;
	}
	if (!cli_parse_count(word, INT32_MAX, &process)) {
		cli_usage("%s: \"%s\" is not the number of a process; `gcspy list` shows the JVMs "
			  "that there are",
		    command->name, word);
		return false;
	}
	arguments->process = (long)process;
	return true;
}

/* Where the next operand belongs; NULL when it is one too many. */
static const char **next_operand(const struct cli_command *command, struct cli_arguments *arguments)
{
	switch (command->operand) {
	case CLI_OPERAND_NONE:
		return NULL;
	case CLI_OPERAND_TOPIC:
		return arguments->topic == NULL ? &arguments->topic : NULL;
	default:
		if (arguments->address == NULL)
			return &arguments->address;
		if (command->operand == CLI_OPERAND_PAIR && arguments->other == NULL)
			return &arguments->other;
		return command->operand == CLI_OPERAND_SETTING && arguments->setting == NULL
			   ? &arguments->setting
			   : NULL;
	}
}

static bool is_of_process(const struct cli_command *command)
{
	return command->operand == CLI_OPERAND_PROCESS ||
	       command->operand == CLI_OPERAND_PROCESS_OPTIONS;
}

static bool take_operand(
    const struct cli_command *command, const char *word, struct cli_arguments *arguments)
{
	if (is_of_process(command))
		return take_process(command, word, arguments);
	const char **place = next_operand(command, arguments);
	if (place == NULL) {
		cli_usage("%s: \"%s\" is too much; `gcspy help %s` says what is allowed",
		    command->name, word, command->name);
		return false;
	}
	*place = word;
	return true;
}

static bool has_operand(const struct cli_command *command, const struct cli_arguments *arguments)
{
	if (is_of_process(command) && arguments->process == 0) {
		cli_usage(
		    "%s needs the number of a process; `gcspy list` shows the JVMs that there "
		    "are",
		    command->name);
		return false;
	}
	if (command->operand == CLI_OPERAND_NONE || command->operand == CLI_OPERAND_TOPIC ||
	    is_of_process(command) ||
	    (arguments->address != NULL &&
		(command->operand != CLI_OPERAND_PAIR || arguments->other != NULL)))
		return true;
	if (command->operand == CLI_OPERAND_FILE) {
		cli_usage(
		    "%s needs a FILE: a trace that `gcspy record` has written", command->name);
		return false;
	}
	if (command->operand == CLI_OPERAND_PAIR) {
		cli_usage("%s needs two files of traces", command->name);
		return false;
	}
	cli_usage("%s needs an ADDRESS: PID, HOST:PORT, PORT or unix:PATH%s", command->name,
	    command->operand == CLI_OPERAND_SOURCE ? "; or a FILE" : "");
	return false;
}

bool cli_parse(const struct cli_command *command, int count, char **words,
    struct cli_arguments *arguments, bool *wants_help)
{
	bool only_operands = false;
	*arguments = (struct cli_arguments){
	    .timeout_ms = DEFAULT_TIMEOUT_MS, .profiles_ms = DEFAULT_PROFILES_MS};
	*wants_help = false;
	for (int i = 0; i < count; i++) {
		const char *word = words[i];
		if (!only_operands && strcmp(word, "--") == 0) {
			only_operands = true;
		} else if (!only_operands &&
			   (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
			*wants_help = true;
			return true;
		} else if (!only_operands && word[0] == '-' && word[1] != '\0') {
			if (!take_option(command, count, words, &i, arguments))
				return false;
		} else if (!take_operand(command, word, arguments)) {
			return false;
		}
	}
	return has_operand(command, arguments);
}
