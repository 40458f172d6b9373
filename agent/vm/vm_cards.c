#include "vm_cards.h"

#include "vm_internal.h"

enum { EIGHT = 8, MIN_SHIFT = 7, MAX_SHIFT = 10 };

/* Bytes of a card: a constant up to JDK 17, then a flag. */
static bool find_shift(struct vm *vm)
{
	int64_t value = 0;
	unsigned shift = MIN_SHIFT;
	if (vm_structs_constant(&vm->structs, "CardTable::card_shift", &value)) {
		vm->cards.shift = (unsigned)value;
		return value >= MIN_SHIFT && value <= MAX_SHIFT;
	}
	if (!vm_flag_number(vm, "GCCardSizeInBytes", &value))
		return false;
	while (shift < MAX_SHIFT && (int64_t)1 << shift < value)
		shift++;
	vm->cards.shift = shift;
	return (int64_t)1 << shift == value;
}

/* The table of the current barrier set, if it is one of the two kinds that have one. */
static uintptr_t find_table(struct vm *vm, struct vm_lookup *lookup)
{
	const uintptr_t set_at = vm_lookup_static(lookup, "BarrierSet::_barrier_set");
	const size_t tag_at = vm_lookup_offset(lookup, "BarrierSet::_fake_rtti") +
			      vm_lookup_offset(lookup, "BarrierSet::FakeRtti::_concrete_tag");
	const size_t table_at = vm_lookup_offset(lookup, "CardTableBarrierSet::_card_table");
	const int64_t plain = vm_lookup_constant(lookup, "BarrierSet::CardTableBarrierSet");
	const int64_t g1 = vm_lookup_constant(lookup, "BarrierSet::G1BarrierSet");
	struct vm_probe probe = {.reader = &vm->reader, .failed = lookup->missing != NULL};
	const uintptr_t set = vm_probe_word(&probe, set_at);
	const uint32_t tag = vm_probe_u32(&probe, set + tag_at);
	const uintptr_t table = vm_probe_word(&probe, set + table_at);
	return tag == plain || tag == g1 ? table : 0;
}

/* The card of the heap's start must be the first one of the map. */
static bool table_sane(const struct vm *vm)
{
	const struct vm_card_fields *f = &vm->cards;
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t base = vm_probe_word(&probe, f->table + f->map_base);
	const uintptr_t map = vm_probe_word(&probe, f->table + f->map);
	const uintptr_t bytes = vm_probe_word(&probe, f->table + f->map_size);
	const uint64_t cards = (vm->range.high - vm->range.low) >> f->shift;
	return !probe.failed && base + (vm->range.low >> f->shift) == map && bytes >= cards;
}

void vm_open_cards(struct vm *vm)
{
	struct vm_card_fields *f = &vm->cards;
	struct vm_lookup lookup = {.structs = &vm->structs};
	if (vm->collector != VM_COLLECTOR_SERIAL && vm->collector != VM_COLLECTOR_PARALLEL &&
	    vm->collector != VM_COLLECTOR_G1) {
		if (vm->collector == VM_COLLECTOR_SHENANDOAH &&
		    vm_flag_is(vm, "ShenandoahGCMode", "generational"))
			vm_set(vm, VM_CARDS, VM_MISSING,
			    "The JVM does not export the card table of generational Shenandoah.");
		else
			vm_set(vm, VM_CARDS, VM_MISSING,
			    "The collector %s has no card table to show.",
			    vm_collector_name(vm->collector));
		return;
	}
	if (!vm_has(vm, VM_HEAP_RANGE)) {
		vm_set_like(vm, VM_CARDS, VM_HEAP_RANGE);
		return;
	}
	f->table = find_table(vm, &lookup);
	f->map_base = vm_lookup_offset(&lookup, "CardTable::_byte_map_base");
	f->map = vm_lookup_offset(&lookup, "CardTable::_byte_map");
	f->map_size = vm_lookup_offset(&lookup, "CardTable::_byte_map_size");
	f->clean = (uint8_t)vm_lookup_constant(&lookup, "CardTable::clean_card");
	f->dirty = (uint8_t)vm_lookup_constant(&lookup, "CardTable::dirty_card");
	if (lookup.missing != NULL)
		vm_set_unexported(vm, VM_CARDS, lookup.missing);
	else if (f->table == 0 || !find_shift(vm) || !table_sane(vm))
		vm_set(vm, VM_CARDS, VM_MISSING,
		    "The card table of HotSpot %s is not where its tables say.", vm->release);
	else
		vm_set_exported(vm, VM_CARDS);
}

uint64_t vm_card_bytes(const struct vm *vm)
{
	return vm_has(vm, VM_CARDS) ? UINT64_C(1) << vm->cards.shift : 0;
}

static void add(
    const struct vm_card_fields *f, uint8_t value, uint32_t count, struct vm_cards *cards)
{
	if (value == f->clean)
		cards->clean += count;
	else if (value == f->dirty)
		cards->dirty += count;
	else
		cards->other += count;
}

void vm_cards_count(const struct vm *vm, uint64_t low, uint64_t high, struct vm_cards *cards)
{
	const struct vm_card_fields *f = &vm->cards;
	const uint64_t round = (UINT64_C(1) << f->shift) - 1;
	const uintptr_t base = vm_load_pointer(f->table + f->map_base);
	uintptr_t card = base + ((low + round) >> f->shift);
	const uintptr_t end = base + ((high + round) >> f->shift);
	*cards = (struct vm_cards){0};
	while (card < end) {
		const uint8_t value = vm_load_u8(card);
		const bool alike = card % EIGHT == 0 && end - card >= EIGHT &&
				   vm_load_u64(card) == value * UINT64_C(0x0101010101010101);
		add(f, value, alike ? EIGHT : 1, cards);
		card += alike ? EIGHT : 1;
	}
}
