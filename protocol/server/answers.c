#include "answers.h"

#include <gcspy/memory.h>

static void free_slot(struct answer_slot *slot)
{
	gcs_free(slot->message);
	gcs_free(slot->bytes);
	*slot = (struct answer_slot){0};
}

void answers_fini(struct answers *a)
{
	for (uint32_t i = 0; i < GCS_MAX_QUERIES; i++)
		free_slot(&a->slots[i]);
}

bool answers_ask(struct answers *a, uint64_t ticket, uint32_t id)
{
	for (uint32_t i = 0; i < GCS_MAX_QUERIES; i++) {
		if (a->slots[i].ticket != 0)
			continue;
		a->slots[i] = (struct answer_slot){.ticket = ticket, .id = id};
		return true;
	}
	return false;
}

struct answer_slot *answers_find(struct answers *a, uint64_t ticket)
{
	for (uint32_t i = 0; ticket != 0 && i < GCS_MAX_QUERIES; i++)
		if (a->slots[i].ticket == ticket && !a->slots[i].answered)
			return &a->slots[i];
	return NULL;
}

bool answers_next(struct answers *a, struct answer_slot **slot, struct answer_message *part)
{
	struct answer_slot *oldest = NULL;
	for (uint32_t i = 0; i < GCS_MAX_QUERIES; i++) {
		struct answer_slot *s = &a->slots[i];
		if (s->ticket != 0 && s->answered && (oldest == NULL || s->ticket < oldest->ticket))
			oldest = s;
	}
	if (oldest == NULL)
		return false;
	size_t left = oldest->length - oldest->sent;
	size_t length = left < CODEC_ANSWER_PER_FRAME ? left : CODEC_ANSWER_PER_FRAME;
	*slot = oldest;
	*part = (struct answer_message){
	    .id = oldest->id,
	    .status = oldest->status,
	    .last = length == left,
	    .total = (uint32_t)oldest->length,
	    .message = oldest->sent == 0 && oldest->message != NULL ? oldest->message : "",
	    .length = length,
	    .bytes = oldest->bytes == NULL ? NULL : oldest->bytes + oldest->sent,
	};
	return true;
}

void answers_sent(struct answer_slot *slot, const struct answer_message *part)
{
	slot->sent += part->length;
	if (part->last)
		free_slot(slot);
}
