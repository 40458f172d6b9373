#include "socket_table.h"

#include <string.h>

/* Fields of a row, from 0. */
enum { FIELD_LOCAL = 1, FIELD_REMOTE = 2, FIELD_UID = 7, FIELD_INODE = 9, FIELDS };

struct field {
	const char *at;
	size_t length;
};

void socket_end_map(struct socket_end *end, const void *ipv4)
{
	memset(end->address, 0, 10);
	memset(end->address + 10, 0xff, 2);
	memcpy(end->address + 12, ipv4, 4);
}

static bool same_end(const struct socket_end *a, const struct socket_end *b)
{
	return a->port == b->port && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The first fields of a line; false if it has fewer. */
static bool split(const char *line, size_t length, struct field *fields, int count)
{
	const char *end = line + length;
	for (int i = 0; i < count; i++) {
		while (line < end && is_blank(*line))
			line++;
		fields[i].at = line;
		while (line < end && !is_blank(*line))
			line++;
		fields[i].length = (size_t)(line - fields[i].at);
		if (fields[i].length == 0)
			return false;
	}
	return true;
}

/* Exactly `digits` hexadecimal digits. */
static bool read_hex(const char *at, size_t digits, uint32_t *value)
{
	*value = 0;
	for (size_t i = 0; i < digits; i++) {
		const char c = at[i];
		const int digit = c >= '0' && c <= '9'   ? c - '0'
				  : c >= 'A' && c <= 'F' ? c - 'A' + 10
				  : c >= 'a' && c <= 'f' ? c - 'a' + 10
							 : -1;
		if (digit < 0)
			return false;
		*value = *value << 4 | (uint32_t)digit;
	}
	return true;
}

static bool read_decimal(const struct field *f, uint64_t most, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < f->length; i++) {
		if (f->at[i] < '0' || f->at[i] > '9' || *value > most / 10)
			return false;
		*value = *value * 10 + (uint64_t)(f->at[i] - '0');
	}
	return f->length != 0 && *value <= most;
}

/* "0100007F:0BB8": each word of the address as the processor reads it, and the port. */
static bool read_end(const struct field *f, struct socket_end *end)
{
	enum { WORD = 8, PORT = 4 };
	const size_t words = f->length == 4 * WORD + 1 + PORT ? 4 : 1;
	uint32_t word[4], port;
	if (f->length != words * WORD + 1 + PORT || f->at[words * WORD] != ':')
		return false;
	for (size_t i = 0; i < words; i++)
		if (!read_hex(f->at + i * WORD, WORD, &word[i]))
			return false;
	if (!read_hex(f->at + words * WORD + 1, PORT, &port))
		return false;
	if (words == 4)
		memcpy(end->address, word, sizeof end->address);
	else
		socket_end_map(end, word);
	end->port = (uint16_t)port;
	return true;
}

enum socket_owner socket_table_find(const char *text, size_t length, const struct socket_end *local,
    const struct socket_end *remote, uint32_t *uid)
{
	const char *end = text + length;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop == NULL ? end : stop;
		struct field fields[FIELDS];
		struct socket_end here, there;
		uint64_t user, inode;
		if (split(text, (size_t)(stop - text), fields, FIELDS) &&
		    read_end(&fields[FIELD_LOCAL], &here) &&
		    read_end(&fields[FIELD_REMOTE], &there) &&
		    read_decimal(&fields[FIELD_UID], UINT32_MAX, &user) &&
		    read_decimal(&fields[FIELD_INODE], INT64_MAX, &inode) &&
		    same_end(&here, local) && same_end(&there, remote)) {
			if (inode == 0)
				return SOCKET_CLOSED;
			*uid = (uint32_t)user;
			return SOCKET_OWNED;
		}
		text = stop + 1;
	}
	return SOCKET_ABSENT;
}

bool socket_table_maps_all(const char *text)
{
	uint64_t mapped = 0;
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");
		struct field fields[3]; /* first id inside, first id outside, count */
		uint64_t count;
		if (split(text, length, fields, 3) && read_decimal(&fields[2], UINT32_MAX, &count))
			mapped += count;
		text += length + (text[length] == '\n');
	}
	return mapped >= UINT32_MAX; /* 2^32 - 1 is not an id */
}
