#include "vm_names.h"

#include "vm_internal.h"
#include "vm_unsigned5.h"

enum { LINES_END = 0, LINES_LONG = 0xff, LINE_BITS = 3 };

static uint16_t load_u16(uintptr_t at)
{
	return *(const volatile uint16_t *)at;
}

bool vm_names_known(const struct vm *vm)
{
	return vm->method.lines_known && vm->code.methods_known && vm_has(vm, VM_STACK_WALK);
}

static struct vm_text text_of(const struct vm_method_fields *f, uintptr_t symbol)
{
	if (symbol == 0)
		return (struct vm_text){NULL, 0};
	return (struct vm_text){
	    (const char *)(symbol + f->symbol_body), load_u16(symbol + f->symbol_length)};
}

/* The entry of a pool of constants, which is a Symbol; number 0 is none. */
static struct vm_text constant(
    const struct vm_method_fields *f, uintptr_t constants, uint16_t number)
{
	return number == 0 ? text_of(f, 0)
			   : text_of(f, vm_load_pointer(constants + f->constants_bytes +
							(uintptr_t)number * VM_WORD));
}

/* The lowest bit is the sign. */
static int32_t read_signed(struct vm_numbers *reader)
{
	const uint32_t number = vm_read_number(reader);
	return (int32_t)(number >> 1 ^ (0 - (number & 1)));
}

/* Pairs of differences, of bytecodes and of lines: in a byte where they are small. */
static uint32_t find_line(struct vm_numbers *reader, int32_t wanted)
{
	int32_t index = 0, line = 0, best = -1, found = 0;
	for (;;) {
		const uint8_t byte = vm_read_byte(reader);
		if (byte == LINES_END || reader->failed)
			break;
		index += byte == LINES_LONG ? read_signed(reader) : byte >> LINE_BITS;
		line += byte == LINES_LONG ? read_signed(reader) : byte & ((1 << LINE_BITS) - 1);
		if (!reader->failed && index <= wanted && index >= best) {
			best = index;
			found = line;
		}
	}
	return found > 0 ? (uint32_t)found : 0;
}

/* The table is after the bytecodes. */
static uint32_t line_of(const struct vm *vm, uintptr_t described, int32_t index)
{
	const struct vm_method_fields *f = &vm->method;
	const uint16_t code = load_u16(described + vm->stack.code_size);
	if (index < 0 || index >= code || (load_u16(described + f->flags) & f->lines_flag) == 0)
		return 0;
	struct vm_numbers reader = {.at = described + vm->stack.code_bytes + code,
	    .end = described + (uintptr_t)vm_load_u32(described + f->words) * VM_WORD,
	    .excluded = vm->code.excluded};
	return find_line(&reader, index);
}

bool vm_method_describe(
    const struct vm *vm, uint64_t method, int32_t index, struct vm_method_name *name)
{
	const struct vm_method_fields *f = &vm->method;
	if (method == 0 || method % VM_WORD != 0)
		return false;
	const uintptr_t described = vm_load_pointer((uintptr_t)method + f->const_method);
	const uintptr_t constants = vm_load_pointer(described + f->constants);
	const uintptr_t class = vm_load_pointer(constants + f->holder);
	const uintptr_t source = f->source_in_class ? class : constants;
	*name = (struct vm_method_name){
	    .class_name = text_of(f, vm_load_pointer(class + f->class_name)),
	    .method = constant(f, constants, load_u16(described + f->name_index)),
	    .file = constant(f, constants, load_u16(source + f->source_file)),
	    .line = line_of(vm, described, index)};
	return name->class_name.text != NULL && name->method.text != NULL;
}
