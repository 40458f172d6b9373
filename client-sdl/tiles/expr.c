/* Compiles an expression: a recursive-descent parser that emits postfix. Declared in expr.h. */
#include "expr.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct parser {
	struct expr *expr;
	const struct gcs_space *space;
	const char *text, *at;
	int depth;
	bool failed;
	struct gcs_error *err;
};

/* Keeps the first error; columns count characters. */
static void fail_at(struct parser *p, const char *at, const char *what, const char *name, int n)
{
	if (p->failed)
		return;
	p->failed = true;
	unsigned column = 1;
	for (const char *c = p->text; c < at; c++)
		column += ((unsigned char)*c & 0xc0) != 0x80;
	gcs_fail(p->err, GCS_ARGUMENT, "expression, column %u: %s%.*s%s", column, what, n, name,
	    n > 0 ? "\"" : "");
}

static void complain(struct parser *p, const char *what)
{
	fail_at(p, p->at, what, "", 0);
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

static bool take(struct parser *p, const char *sign)
{
	size_t n = strlen(sign);
	skip_blanks(p);
	if (strncmp(p->at, sign, n) != 0)
		return false;
	p->at += n;
	return true;
}

static void need(struct parser *p, const char *sign, const char *what)
{
	if (!p->failed && !take(p, sign))
		complain(p, what);
}

static void emit(struct parser *p, enum expr_op_kind kind, uint32_t stream, double number)
{
	struct expr *e = p->expr;
	if (e->count == EXPR_OPS) {
		complain(p, "too long");
		return;
	}
	e->op[e->count++] = (struct expr_op){kind, stream, number};
	e->before = e->before || kind == EXPR_BEFORE;
}

static void choice(struct parser *p);

static double digits(const char **at, int base)
{
	double value = 0;
	for (; isxdigit((unsigned char)**at) && (base == 16 || isdigit((unsigned char)**at));
	     ++*at) {
		int c = tolower((unsigned char)**at);
		value = value * base + (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return value;
}

/* "12", "1.5", "0x7f00", "64K"; the sign is an operator. */
static void number(struct parser *p)
{
	double value;
	if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X') &&
	    isxdigit((unsigned char)p->at[2])) {
		p->at += 2;
		value = digits(&p->at, 16);
	} else {
		value = digits(&p->at, 10);
		if (p->at[0] == '.' && isdigit((unsigned char)p->at[1])) {
			const char *from = ++p->at;
			double part = digits(&p->at, 10);
			value += part / pow(10, (double)(p->at - from));
		}
	}
	static const char suffixes[] = "KMG";
	const char *suffix = *p->at != 0 ? strchr(suffixes, toupper((unsigned char)*p->at)) : NULL;
	if (suffix != NULL) {
		value *= pow(1024, (double)(suffix - suffixes + 1));
		p->at++;
	}
	/* "4Kb" or "12x" is a mistake, not a number and a name. */
	if (isalnum((unsigned char)*p->at) || *p->at == '_')
		complain(p, "unknown suffix of a number; expected K, M, G or none");
	emit(p, EXPR_NUMBER, 0, value < EXPR_MOST ? value : EXPR_MOST);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A bare word, or the text in [brackets] or "quotes". */
static int name_of(struct parser *p, const char **name)
{
	char open = *p->at;
	char close = open == '[' ? ']' : open == '"' ? '"' : 0;
	if (close == 0) {
		*name = p->at;
		while (is_name(*p->at))
			p->at++;
		return (int)(p->at - *name);
	}
	const char *end = strchr(p->at + 1, close);
	if (end == NULL) {
		complain(p, open == '[' ? "missing ]" : "missing closing \"");
		return 0;
	}
	*name = p->at + 1;
	p->at = end + 1;
	return (int)(end - *name);
}

/* The stream with that name; without an exact match, ignoring case. */
static uint32_t stream_of(const struct gcs_space *s, const char *name, int n)
{
	uint32_t found = GCS_NONE;
	for (uint32_t i = 0; i < s->stream_count; i++) {
		const char *other = s->streams[i].name;
		if (strlen(other) != (size_t)n)
			continue;
		if (memcmp(other, name, (size_t)n) == 0)
			return i;
		if (found == GCS_NONE && strncasecmp(other, name, (size_t)n) == 0)
			found = i;
	}
	return found;
}

static void stream(struct parser *p, const char *start, const char *name, int n, bool before)
{
	uint32_t id = stream_of(p->space, name, n);
	if (p->failed)
		return;
	if (id == GCS_NONE)
		fail_at(p, start, "this space has no stream \"", name, n > 0 ? n : 0);
	else
		emit(p, before ? EXPR_BEFORE : EXPR_STREAM, id, 0);
}

static bool is_word(const char *name, int n, const char *word)
{
	return strlen(word) == (size_t)n && memcmp(name, word, (size_t)n) == 0;
}

static void previous(struct parser *p)
{
	skip_blanks(p);
	const char *start = p->at, *name = p->at;
	if (!is_name(*p->at) && *p->at != '[' && *p->at != '"') {
		complain(p, "prev: expected the name of a stream");
		return;
	}
	int n = name_of(p, &name);
	stream(p, start, name, n, true);
	need(p, ")", "expected )");
}

static void arguments(struct parser *p, int count)
{
	choice(p);
	if (count == 2) {
		need(p, ",", "expected a comma and a second value");
		if (!p->failed)
			choice(p);
	}
	need(p, ")", count == 2 ? "expected )" : "expected ) after one value");
}

static bool function(struct parser *p, const char *name, int n)
{
	static const struct {
		const char *name;
		enum expr_op_kind kind;
		int arguments;
	} functions[] = {{"min", EXPR_MIN, 2}, {"max", EXPR_MAX, 2}, {"abs", EXPR_ABS, 1},
	    {"log2", EXPR_LOG2, 1}};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		if (!is_word(name, n, functions[i].name))
			continue;
		arguments(p, functions[i].arguments);
		emit(p, functions[i].kind, 0, 0);
		return true;
	}
	if (!is_word(name, n, "prev"))
		return false;
	previous(p);
	return true;
}

static void word(struct parser *p)
{
	const char *start = p->at, *name = p->at;
	bool bare = is_name(*start);
	int n = name_of(p, &name);
	if (p->failed)
		return;
	if (bare && take(p, "(")) {
		if (!function(p, name, n))
			fail_at(p, start, "expected min, max, abs, log2 or prev, not \"", name, n);
	} else if (bare && is_word(name, n, "tile")) {
		emit(p, EXPR_TILE, 0, 0);
	} else if (bare && is_word(name, n, "size")) {
		emit(p, EXPR_SIZE, 0, 0);
	} else {
		stream(p, start, name, n, false);
	}
}

static void primary(struct parser *p)
{
	skip_blanks(p);
	if (isdigit((unsigned char)*p->at)) {
		number(p);
	} else if (is_name(*p->at) || *p->at == '[' || *p->at == '"') {
		word(p);
	} else if (take(p, "(")) {
		choice(p);
		need(p, ")", "expected )");
	} else {
		complain(p, "expected a number, a stream or (");
	}
}

static void unary(struct parser *p)
{
	if (p->depth >= EXPR_DEPTH) {
		complain(p, "too deep");
		return;
	}
	p->depth++;
	if (take(p, "-")) {
		unary(p);
		emit(p, EXPR_MINUS, 0, 0);
	} else if (take(p, "!")) {
		unary(p);
		emit(p, EXPR_NOT, 0, 0);
	} else {
		primary(p);
	}
	p->depth--;
}

struct operator
{
	const char *sign;
	enum expr_op_kind kind;
};

/* From lowest to highest precedence; longer signs come before their prefixes. */
#define LEVELS 5
static const struct operator levels[LEVELS][7] = {
    {{"||", EXPR_OR}},
    {{"&&", EXPR_AND}},
    {{"<=", EXPR_LESS_EQUAL}, {">=", EXPR_GREATER_EQUAL}, {"==", EXPR_EQUAL}, {"!=", EXPR_UNEQUAL},
	{"<", EXPR_LESS}, {">", EXPR_GREATER}},
    {{"+", EXPR_ADD}, {"-", EXPR_SUBTRACT}},
    {{"*", EXPR_MULTIPLY}, {"/", EXPR_DIVIDE}, {"%", EXPR_REST}},
};

/* Takes the next operator if it is of that level; a % at the very end is the unit. */
static const struct operator* operator_of(struct parser *p, int level)
{
	for (const struct operator* o = levels[level]; o->sign != NULL; o++) {
		const char *before = p->at;
		if (!take(p, o->sign))
			continue;
		skip_blanks(p);
		if (o->kind != EXPR_REST || *p->at != 0)
			return o;
		p->at = before;
		return NULL;
	}
	return NULL;
}

static void binary(struct parser *p, int level)
{
	if (level == LEVELS) {
		unary(p);
		return;
	}
	binary(p, level + 1);
	const struct operator* o;
	while (!p->failed && (o = operator_of(p, level)) != NULL) {
		binary(p, level + 1);
		emit(p, o->kind, 0, 0);
	}
}

static void choice(struct parser *p)
{
	if (p->failed)
		return;
	if (p->depth >= EXPR_DEPTH) {
		complain(p, "too deep");
		return;
	}
	p->depth++;
	binary(p, 0);
	if (!p->failed && take(p, "?")) {
		choice(p);
		need(p, ":", "expected : and a second value");
		choice(p);
		emit(p, EXPR_CHOOSE, 0, 0);
	}
	p->depth--;
}

bool expr_compile(
    struct expr *expr, const char *text, const struct gcs_space *space, struct gcs_error *err)
{
	memset(expr, 0, sizeof *expr);
	struct parser p = {.expr = expr, .space = space, .text = text, .at = text, .err = err};
	if (strlen(text) >= EXPR_TEXT) {
		gcs_fail(err, GCS_LIMIT, "expression: limited to %d bytes", EXPR_TEXT - 1);
		return false;
	}
	choice(&p);
	expr->percent = !p.failed && take(&p, "%");
	skip_blanks(&p);
	if (!p.failed && *p.at != 0)
		complain(&p, "expected an operator or the end");
	return !p.failed;
}
