#include "input.h"

#include <string.h>

#include "utf8.h"

static const struct {
	uint32_t key;
	const char *name;
} key_names[] = {
#define X(name, text) {KEY_##name, text},
    KEY_LIST(X)
#undef X
	{' ', "Space"},
};

static bool same_word(const char *word, const char *text, size_t n)
{
	return strlen(word) == n && memcmp(word, text, n) == 0;
}

static uint32_t upper(uint32_t c)
{
	return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static bool parse_modifier(const char **text, size_t *n, unsigned *mods)
{
	static const struct {
		const char *prefix;
		unsigned mod;
	} modifiers[] = {{"Ctrl+", MOD_CTRL}, {"Shift+", MOD_SHIFT}, {"Alt+", MOD_ALT}};
	for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
		size_t length = strlen(modifiers[i].prefix);
		if (*n > length && memcmp(*text, modifiers[i].prefix, length) == 0) {
			*mods |= modifiers[i].mod;
			*text += length;
			*n -= length;
			return true;
		}
	}
	return false;
}

bool key_parse(const char *text, size_t n, struct keystroke *stroke)
{
	stroke->mods = 0;
	while (parse_modifier(&text, &n, &stroke->mods))
		continue;
	for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++) {
		if (same_word(key_names[i].name, text, n)) {
			stroke->key = key_names[i].key;
			return true;
		}
	}
	char one[8] = "";
	if (n == 0 || n >= sizeof one)
		return false;
	memcpy(one, text, n);
	const char *p = one;
	uint32_t code = utf8_next(&p);
	if (*p != 0 || code < 32)
		return false;
	stroke->key = upper(code);
	return true;
}

bool key_of_event(const struct ui_event *ev, struct keystroke *stroke)
{
	if (ev->kind == EV_KEY) {
		*stroke = (struct keystroke){upper(ev->key), ev->mods};
		return true;
	}
	if (ev->kind != EV_TEXT)
		return false;
	const char *p = ev->text;
	uint32_t code = utf8_next(&p);
	if (code == 0 || *p != 0)
		return false;
	bool capital = code >= 'A' && code <= 'Z';
	*stroke = (struct keystroke){upper(code), capital ? MOD_SHIFT : 0};
	return true;
}

struct ui_event key_event(struct keystroke stroke)
{
	struct ui_event ev = {
	    .kind = EV_KEY, .x = -1, .y = -1, .key = stroke.key, .mods = stroke.mods};
	bool prints = stroke.key >= 32 && stroke.key < 127;
	if (prints && (stroke.mods & (MOD_CTRL | MOD_ALT)) == 0) {
		char c = (char)stroke.key;
		if (c >= 'A' && c <= 'Z' && !(stroke.mods & MOD_SHIFT))
			c = (char)(c - 'A' + 'a');
		ev.kind = EV_TEXT;
		ev.text[0] = c;
	}
	return ev;
}
