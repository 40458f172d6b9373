#include "commands.h"

#include <string.h>

static const struct command commands[COMMAND_COUNT] = {
#define X(id, section, keys, args, help, when) {#id, section, keys, args, help, when},
    COMMANDS(X)
#undef X
};

const struct command *command_at(enum command_id id)
{
	return &commands[id];
}

enum command_id command_find(const char *name, size_t n)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (strlen(commands[i].name) == n && memcmp(commands[i].name, name, n) == 0)
			return (enum command_id)i;
	}
	return COMMAND_COUNT;
}

static bool has_key(const char *keys, struct keystroke stroke)
{
	while (*keys != 0) {
		size_t n = strcspn(keys, " ");
		struct keystroke k;
		if (key_parse(keys, n, &k) && k.key == stroke.key && k.mods == stroke.mods)
			return true;
		keys += n;
		keys += strspn(keys, " ");
	}
	return false;
}

enum command_id command_of_key(struct keystroke stroke)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (has_key(commands[i].keys, stroke))
			return (enum command_id)i;
	}
	if (stroke.mods == MOD_SHIFT && stroke.key < KEY_BASE) {
		stroke.mods = 0;
		return command_of_key(stroke);
	}
	return COMMAND_COUNT;
}

bool command_needs_argument(enum command_id id)
{
	return commands[id].args[0] != 0 && commands[id].args[0] != '[';
}

int64_t command_rows(enum command_id id, int page)
{
	switch (id) {
	case COMMAND_tile_up:
		return -1;
	case COMMAND_tile_down:
		return 1;
	case COMMAND_scroll_up:
		return -page;
	case COMMAND_scroll_down:
		return page;
	case COMMAND_tile_first:
		return -(int64_t)UINT32_MAX;
	case COMMAND_tile_last:
		return UINT32_MAX;
	default:
		return 0;
	}
}

static int lower(int c)
{
	if (c == '_')
		return ' ';
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Score of a pattern in a text: 0 if a letter is missing, more for runs and word starts. */
static int points(const char *text, const char *pattern)
{
	int sum = 1;
	int run = 0;
	char before = ' ';
	while (*pattern != 0) {
		if (*text == 0)
			return 0;
		if (lower(*text) == lower(*pattern)) {
			run++;
			sum += 2 * run + (before == ' ' || before == '_' ? 6 : 0);
			pattern++;
		} else {
			run = 0;
		}
		before = *text++;
	}
	return sum;
}

static bool contains(const char *text, const char *pattern)
{
	for (; *text != 0; text++) {
		size_t i = 0;
		while (pattern[i] != 0 && text[i] != 0 && lower(text[i]) == lower(pattern[i]))
			i++;
		if (pattern[i] == 0)
			return true;
	}
	return false;
}

int command_match_text(const char *text, const char *pattern)
{
	return points(text, pattern) + (contains(text, pattern) ? COMMAND_MATCH_WHOLE : 0);
}

int command_match(enum command_id id, const char *pattern)
{
	const struct command *c = &commands[id];
	int by_name = points(c->name, pattern) * 2;
	const int by_help = command_match_text(c->help, pattern);
	if (contains(c->name, pattern))
		by_name += COMMAND_MATCH_WHOLE + 10;
	return by_name > by_help ? by_name : by_help;
}
