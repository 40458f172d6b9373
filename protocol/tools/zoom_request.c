#include "zoom_request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "operand.h"

/* By default a block is divided into this many. */
enum { DEFAULT_CUT = 16 };

/* An unsigned number at *text, which moves after it. */
static bool take_number(const char **text, uint64_t *number)
{
	char *end;
	if (**text < '0' || **text > '9')
		return false;
	*number = strtoull(*text, &end, strncmp(*text, "0x", 2) == 0 ? 16 : 10);
	bool fits = end - *text <= 20;
	*text = end;
	return fits;
}

bool zoom_parse_range(const char *text, uint64_t *start, uint64_t *end)
{
	return take_number(&text, start) && *text++ == '-' && take_number(&text, end) &&
	       *text == '\0' && *start < *end;
}

/* True if the space shows all of the range. */
static bool has_range(const struct gcs_snapshot *s, uint32_t id, uint64_t start, uint64_t end)
{
	const struct gcs_space *space = &gcs_snapshot_model(s)->spaces[id];
	const int64_t *starts =
	    gcs_snapshot_values(s, id, gcs_space_role(space, GCS_ROLE_RANGE_START));
	const int64_t *ends = gcs_snapshot_values(s, id, gcs_space_role(space, GCS_ROLE_RANGE_END));
	bool begins = false, is_behind = false;
	for (uint32_t i = 0; starts != NULL && ends != NULL && i < gcs_snapshot_tiles(s, id); i++) {
		begins = begins || (uint64_t)starts[i] <= start;
		is_behind = is_behind || (uint64_t)ends[i] >= end;
	}
	return begins && is_behind;
}

bool zoom_is_in(const struct gcs_snapshot *s, uint32_t id, const struct cli_arguments *a)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	if (id >= m->space_count || m->spaces[id].gone || !gcs_snapshot_gathered(s, id))
		return false;
	const int64_t *starts =
	    gcs_snapshot_values(s, id, gcs_space_role(&m->spaces[id], GCS_ROLE_RANGE_START));
	const int64_t *ends =
	    gcs_snapshot_values(s, id, gcs_space_role(&m->spaces[id], GCS_ROLE_RANGE_END));
	return starts != NULL && ends != NULL && (uint64_t)starts[0] == a->zoom_start &&
	       (uint64_t)ends[gcs_snapshot_tiles(s, id) - 1] == a->zoom_end;
}

static bool is_shown(const struct gcs_snapshot *s, const struct cli_arguments *a)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++)
		if (!m->spaces[i].gone && m->spaces[i].block_bytes != 0 &&
		    has_range(s, i, a->zoom_start, a->zoom_end))
			return true;
	return false;
}

/* The space to zoom into, or GCS_NONE. */
static uint32_t choose(const struct gcs_snapshot *s, const struct cli_arguments *a)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++) {
		const struct gcs_space *space = &m->spaces[i];
		if (space->gone)
			continue;
		if (a->space != NULL ? strcmp(a->space, space->name) == 0
				     : space->block_bytes != 0 && space->block_bytes >= a->block &&
					   has_range(s, i, a->zoom_start, a->zoom_end))
			return i;
	}
	return GCS_NONE;
}

static uint64_t default_block(uint64_t of)
{
	uint64_t block = GCS_MIN_ZOOM_BLOCK;
	while (block * 2 <= of / DEFAULT_CUT)
		block *= 2;
	return block;
}

/* Waits for the answer. */
static int ask(struct contact *contact, const struct cli_arguments *a, uint32_t from,
    uint64_t block, uint32_t *space)
{
	uint32_t id;
	enum gcs_status status =
	    gcs_client_zoom(contact->client, from, a->zoom_start, a->zoom_end, block, &id);
	if (status != GCS_OK)
		return contact_is_lost(contact) ? contact_lost(contact)
		       : status == GCS_UNSUPPORTED
			   ? cli_fail("%s: the server is too old for zooms", contact->address)
			   : cli_fail("%s: %s", contact->address, gcs_status_text(status));
	struct gcs_answer *answer = gcs_client_answer(contact->client, id, contact->timeout_ms);
	int code = CLI_DONE;
	if (answer == NULL)
		code = cli_fail("%s: no answer within %g s", contact->address,
		    (double)contact->timeout_ms / 1000);
	else if (answer->status == GCS_CLOSED)
		code = contact_lost(contact);
	else if ((*space = gcs_answer_space(answer)) == GCS_NONE)
		code = cli_fail("%s: %.600s", contact->address,
		    answer->message[0] == '\0' ? gcs_status_text(answer->status) : answer->message);
	gcs_answer_free(answer);
	return code;
}

int zoom_open(
    struct contact *contact, const struct cli_arguments *a, struct out *out, uint32_t *space)
{
	struct gcs_snapshot *first =
	    contact_next_at(contact, NULL, out, now_ms() + contact->timeout_ms);
	if (first == NULL)
		return contact_is_lost(contact)
			   ? contact_lost(contact)
			   : cli_fail("%s: no snapshot within %g s", contact->address,
				 (double)contact->timeout_ms / 1000);
	const struct gcs_model *model = gcs_snapshot_model(first);
	uint32_t from = choose(first, a);
	char again[400];
	const bool is_at_all = a->space == NULL && is_shown(first, a);
	int code;
	operand_quote(again, sizeof again, contact->address);
	if (from == GCS_NONE)
		code = is_at_all ? cli_fail("%s: no space shows 0x%" PRIx64 "-0x%" PRIx64
					    " in blocks of that size or larger",
				       contact->address, a->zoom_start, a->zoom_end)
				 : cli_fail("%s: no space shows 0x%" PRIx64 "-0x%" PRIx64
					    "; `gcspy dump %s --values` lists the addresses",
				       contact->address, a->zoom_start, a->zoom_end, again);
	else
		code = ask(contact, a, from,
		    a->block != 0 ? a->block : default_block(model->spaces[from].block_bytes),
		    space);
	gcs_snapshot_unref(first);
	return code;
}
