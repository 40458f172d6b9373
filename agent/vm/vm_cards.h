/*
 * The card table of the collectors that have one: one byte for every few hundred bytes of the heap,
 * which says whether a reference there was written recently.
 *
 * At a safepoint, in the VM thread, for committed heap memory only. Plain loads, eight equal cards
 * at a time: some 60 us for 100,000 cards.
 */
#ifndef GCSPY_AGENT_VM_CARDS_H
#define GCSPY_AGENT_VM_CARDS_H

#include "vm.h"

struct vm_cards {
	uint32_t clean;
	uint32_t dirty;
	uint32_t other; /* a value of the collector's own, such as G1's mark of young regions */
};

/* Bytes of the heap to a card, 0 without VM_CARDS. */
uint64_t vm_card_bytes(const struct vm *vm);

/* Counts the cards that begin in [low, high). Needs VM_CARDS. */
void vm_cards_count(const struct vm *vm, uint64_t low, uint64_t high, struct vm_cards *cards);

#endif
