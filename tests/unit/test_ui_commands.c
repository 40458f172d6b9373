/* Keys, the command table, its documentation, text fields, arguments. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "help.h"
#include "textfield.h"
#include "overview.h"
#include "view_options.h"

Test(keys, names_parse)
{
	static const struct {
		const char *name;
		struct keystroke stroke;
	} cases[] = {
	    {"Ctrl+Shift+P", {'P', MOD_CTRL | MOD_SHIFT}},
	    {"F9", {KEY_F9, 0}},
	    {"Space", {' ', 0}},
	    {"?", {'?', 0}},
	    {"+", {'+', 0}},
	    {"Ctrl++", {'+', MOD_CTRL}},
	    {"Shift+Tab", {KEY_TAB, MOD_SHIFT}},
	    {"PageDown", {KEY_PAGE_DOWN, 0}},
	    {"a", {'A', 0}},
	    {"[", {'[', 0}},
	    {"Alt+Left", {KEY_LEFT, MOD_ALT}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keystroke k;
		cr_assert(key_parse(cases[i].name, strlen(cases[i].name), &k), "%s", cases[i].name);
		cr_assert(k.key == cases[i].stroke.key && k.mods == cases[i].stroke.mods, "%s",
		    cases[i].name);
	}
	struct keystroke k;
	cr_assert_not(key_parse("", 0, &k));
	cr_assert_not(key_parse("Hyper", 5, &k));
	cr_assert_not(key_parse("Ctrl+Hyper", 10, &k));
}

Test(keys, events_and_strokes_are_inverse)
{
	static const char *const names[] = {"Space", "?", "Ctrl+K", "Left", "Shift+R", "w"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct keystroke a, b;
		cr_assert(key_parse(names[i], strlen(names[i]), &a));
		struct ui_event ev = key_event(a);
		cr_assert(key_of_event(&ev, &b));
		cr_assert(a.key == b.key && a.mods == b.mods, "%s", names[i]);
	}
	struct keystroke k;
	struct ui_event two = {.kind = EV_TEXT, .text = "ab"};
	cr_assert_not(key_of_event(&two, &k), "a longer text is no key");
}

Test(commands, every_key_parses_and_belongs_to_one_command)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_at((enum command_id)i);
		cr_assert_eq(command_find(c->name, strlen(c->name)), i);
		cr_assert_gt(strlen(c->help), 4u, "%s has no help", c->name);
		const char *p = c->keys;
		while (*p != 0) {
			size_t n = strcspn(p, " ");
			struct keystroke k;
			cr_assert(key_parse(p, n, &k), "%s: key %.*s", c->name, (int)n, p);
			cr_assert_eq(command_of_key(k), i, "%.*s is bound twice", (int)n, p);
			p += n;
			p += strspn(p, " ");
		}
		/* The choices of play_speed are for the palette. */
		bool palette = i == COMMAND_pause_program || i == COMMAND_range_clear ||
			       strncmp(c->name, "play_", 5) == 0;
		cr_assert(c->keys[0] != 0 || c->args[0] != 0 || palette,
		    "%s cannot be reached by a key", c->name);
	}
	cr_assert_eq(command_find("nonsense", 8), COMMAND_COUNT);
}

Test(commands, each_is_in_the_help)
{
	struct textbuf out = {0};
	help_markdown(&out);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		char name[80];
		snprintf(name, sizeof name, " | `%s", command_at((enum command_id)i)->name);
		cr_assert_not_null(strstr(textbuf_text(&out), name), "%s", name);
		cr_assert_null(strchr(command_at((enum command_id)i)->args, '|'), "splits a cell");
	}
	textbuf_fini(&out);
}

Test(commands, capital_letters_fall_back)
{
	cr_assert_eq(command_of_key((struct keystroke){'W', MOD_SHIFT}), COMMAND_zoom_in);
	cr_assert_eq(command_of_key((struct keystroke){'R', MOD_SHIFT}), COMMAND_auto_retry);
	cr_assert_eq(command_of_key((struct keystroke){'R', 0}), COMMAND_sites_refresh);
	cr_assert_eq(command_of_key((struct keystroke){'A', MOD_SHIFT}), COMMAND_sites_auto);
	cr_assert_eq(command_of_key((struct keystroke){'A', 0}), COMMAND_pan_left);
}

Test(commands, matching_prefers_whole_words)
{
	cr_assert_geq(command_match(COMMAND_stream_next, "stream"), COMMAND_MATCH_WHOLE);
	cr_assert_gt(command_match(COMMAND_theme, "theme"), command_match(COMMAND_help, "theme"));
	cr_assert_gt(command_match(COMMAND_zoom_in, "zin"), 0, "letters in order");
	cr_assert_lt(command_match(COMMAND_zoom_in, "zin"), COMMAND_MATCH_WHOLE);
	cr_assert_eq(command_match(COMMAND_zoom_in, "qqq"), 0);
	cr_assert_gt(command_match(COMMAND_quit, ""), 0, "nothing typed fits all");
}

/* docs/keys.md is the output of --list-keys, byte for byte. */
Test(commands, documentation_is_current)
{
	static const char path[] = GCSPY_SOURCE_DIR "/docs/keys.md";
	FILE *f = fopen(path, "r");
	cr_assert_not_null(f, "%s is missing", path);
	static char stored[65536];
	stored[fread(stored, 1, sizeof stored - 1, f)] = 0;
	fclose(f);
	struct textbuf made = {0};
	help_markdown(&made);
	cr_assert_str_eq(stored, textbuf_text(&made), "run gcspy-view --list-keys > docs/keys.md");
	textbuf_fini(&made);
}

static char clip[64];

static void put(void *context, const char *text)
{
	(void)context;
	snprintf(clip, sizeof clip, "%s", text);
}

static void get(void *context, char *text, size_t size)
{
	(void)context;
	snprintf(text, size, "%s", clip);
}

static const struct ui_clipboard clipboard = {.put = put, .get = get};

static void press(struct textfield *f, const char *key)
{
	struct keystroke k;
	cr_assert(key_parse(key, strlen(key), &k));
	textfield_key(f, k, &clipboard);
}

Test(textfield, editing)
{
	struct textfield f;
	textfield_set(&f, "b\xc3\xa4r");
	press(&f, "Left");
	press(&f, "Backspace");
	cr_assert_str_eq(f.text, "br", "a character of two bytes goes at once");
	textfield_insert(&f, "ea\n");
	cr_assert_str_eq(f.text, "bear", "control characters are left out");
	press(&f, "Home");
	press(&f, "Shift+Right");
	press(&f, "Shift+Right");
	press(&f, "Ctrl+X");
	cr_assert_str_eq(clip, "be");
	press(&f, "End");
	press(&f, "Ctrl+V");
	cr_assert_str_eq(f.text, "arbe");
	press(&f, "Ctrl+A");
	textfield_insert(&f, "x");
	cr_assert_str_eq(f.text, "x");
	press(&f, "Home");
	press(&f, "Delete");
	press(&f, "Delete");
	press(&f, "Backspace");
	cr_assert_str_eq(f.text, "");
}

Test(textfield, never_overflows_and_never_cuts_a_character)
{
	struct textfield f;
	textfield_set(&f, "");
	for (int i = 0; i < 400; i++)
		textfield_insert(&f, "\xe2\x82\xac");
	cr_assert_eq(strlen(f.text), sizeof f.text / 3 * 3 - (sizeof f.text % 3 == 0 ? 3 : 0));
	cr_assert_eq(f.cursor, strlen(f.text));
}

Test(overview, drops_a_neighbour_and_finds_by_time)
{
	struct overview o = {0};
	for (uint64_t i = 0; i < OVERVIEW_LIMIT; i++)
		overview_add(
		    &o, &(struct event_header){.sequence = i, .place = i, .time_ns = i * 10});
	cr_assert_eq(o.count, OVERVIEW_LIMIT);
	cr_assert_eq(overview_find(&o, 0), 0u);
	cr_assert_eq(overview_find(&o, 101), 11u);
	cr_assert_eq(overview_find(&o, UINT64_MAX), o.count);
	overview_add(
	    &o, &(struct event_header){.place = OVERVIEW_LIMIT, .time_ns = OVERVIEW_LIMIT * 10});
	cr_assert_leq(o.count, OVERVIEW_LIMIT / 2 + 1);
	overview_fini(&o);
	cr_assert_eq(o.count, 0u);
}

static bool parse(struct cli *cli, struct gcs_error *err, const char *a, const char *b)
{
	/* Static, because the result points into them. */
	static char program[] = "gcspy-view", first[64], second[64];
	snprintf(first, sizeof first, "%s", a);
	snprintf(second, sizeof second, "%s", b != NULL ? b : "");
	char *argv[] = {program, first, second, NULL};
	return cli_parse(cli, b != NULL ? 3 : 2, argv, err);
}

Test(cli, takes_what_it_says)
{
	struct cli cli;
	struct gcs_error err;
	cr_assert(parse(&cli, &err, "db1:3000", "--size=800x600"));
	cr_assert_str_eq(cli.address, "db1:3000");
	cr_assert(cli.width == 800 && cli.height == 600);
	cr_assert(parse(&cli, &err, "--scale", "1.5") && cli.scale == 150);
	cr_assert(parse(&cli, &err, "--theme", "contrast") && cli.theme == 2);
	cr_assert(parse(&cli, &err, "--present", "none") && cli.present == CLI_PRESENT_NONE);
	cr_assert(parse(&cli, &err, "--font=block", NULL) && cli.font == CLI_FONT_BLOCK);
	cr_assert(parse(&cli, &err, "--events=12", "db1:3000") && cli.events == 12);
	cr_assert(parse(&cli, &err, "--list-keys", NULL) && cli.action == CLI_LIST_KEYS);
	struct textbuf help = {0};
	cli_help(&help);
	cr_assert_not_null(strstr(textbuf_text(&help), "--token-file FILE"));
	textbuf_fini(&help);
}

Test(cli, names_what_is_wrong_and_what_is_allowed)
{
	static const struct {
		const char *a, *b, *subject, *allowed;
	} bad[] = {
	    {"--size", "12", "--size 12", "WIDTHxHEIGHT"},
	    {"--size", "99999x9", "--size", "16384"},
	    {"--scale", "nan", "--scale nan", "0.5 to 3"},
	    {"--theme", "pink", "--theme pink", "dark, light or contrast"},
	    {"--present", "gl", "--present gl", "surface"},
	    {"--font", "serif", "--font serif", "block"},
	    {"--events", "-1", "--events -1", "at least 1"},
	    {"--events", "7", "--events 7", "address"},
	    {"--dump=x", NULL, "--dump x", "stacks"},
	    {"--script", NULL, "--script", "missing"},
	    {"--frobnicate", NULL, "--frobnicate", "--help"},
	    {"a:1", "b:2", "b:2", "one address"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct cli cli;
		struct gcs_error err = {.text = ""};
		cr_assert_not(parse(&cli, &err, bad[i].a, bad[i].b), "%s", bad[i].a);
		cr_assert_not_null(strstr(err.text, bad[i].subject), "%s", err.text);
		cr_assert_not_null(strstr(err.text, bad[i].allowed), "%s", err.text);
	}
}

/* V1: a window fits its screen, except where a script relies on its size. */
Test(commands, a_window_fits_its_screen)
{
	struct cli cli = {.width = 1280, .height = 800};
	cli_fit(&cli, 1024, 900);
	cr_assert(cli.width == 1024 && cli.height == 800);
	cli = (struct cli){.width = 1280, .height = 800, .script = "-"};
	cli_fit(&cli, 800, 600);
	cr_assert(cli.width == 1280 && cli.height == 800);
}
