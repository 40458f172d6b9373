#include "vm_structs.h"

#include <string.h>

#include "vm_load.h"

/* Limits for a plausible table: HotSpot has up to 4,000 rows of up to 48 bytes, and no class of a
 * megabyte. */
enum { MAX_ROWS = 100000, MAX_STRIDE = 1024, MAX_NAME = 256 };
static const uint64_t MAX_OFFSET = 1u << 20;

enum { FIELD_TYPE, FIELD_NAME, FIELD_TYPE_STRING, FIELD_IS_STATIC, FIELD_OFFSET, FIELD_ADDRESS };
enum { TYPE_NAME, TYPE_SIZE };
enum { CONSTANT_NAME, CONSTANT_VALUE };

/* The symbols of one table: the pointer to its first row, its stride, its columns in enum order. */
struct table_symbols {
	const char *first;
	const char *stride;
	const char *columns[VM_TABLE_COLUMNS];
};

static const struct table_symbols FIELD_SYMBOLS = {
    "gHotSpotVMStructs",
    "gHotSpotVMStructEntryArrayStride",
    {"gHotSpotVMStructEntryTypeNameOffset", "gHotSpotVMStructEntryFieldNameOffset",
	"gHotSpotVMStructEntryTypeStringOffset", "gHotSpotVMStructEntryIsStaticOffset",
	"gHotSpotVMStructEntryOffsetOffset", "gHotSpotVMStructEntryAddressOffset"},
};

static const struct table_symbols TYPE_SYMBOLS = {
    "gHotSpotVMTypes",
    "gHotSpotVMTypeEntryArrayStride",
    {"gHotSpotVMTypeEntryTypeNameOffset", "gHotSpotVMTypeEntrySizeOffset"},
};

static const struct table_symbols INT_SYMBOLS = {
    "gHotSpotVMIntConstants",
    "gHotSpotVMIntConstantEntryArrayStride",
    {"gHotSpotVMIntConstantEntryNameOffset", "gHotSpotVMIntConstantEntryValueOffset"},
};

static const struct table_symbols LONG_SYMBOLS = {
    "gHotSpotVMLongConstants",
    "gHotSpotVMLongConstantEntryArrayStride",
    {"gHotSpotVMLongConstantEntryNameOffset", "gHotSpotVMLongConstantEntryValueOffset"},
};

static uintptr_t cell(const struct vm_table *table, size_t row, size_t column)
{
	return (uintptr_t)(table->first + row * table->stride + table->column[column]);
}

static const char *text(const struct vm_table *table, size_t row, size_t column)
{
	return (const char *)vm_load_pointer(cell(table, row, column));
}

/* Finds one table and counts its rows: the first row without a name ends it. */
static bool load_table(struct vm_table *table, const struct table_symbols *symbols,
    vm_symbol_fn *find, void *context, const char **missing)
{
	*missing = symbols->first;
	const void *first = find(context, symbols->first);
	if (first == NULL || vm_load_pointer((uintptr_t)first) == 0)
		return false;
	table->first = (const unsigned char *)vm_load_pointer((uintptr_t)first);

	*missing = symbols->stride;
	const void *stride = find(context, symbols->stride);
	if (stride == NULL || vm_load_u64((uintptr_t)stride) > MAX_STRIDE ||
	    vm_load_u64((uintptr_t)stride) < sizeof(void *))
		return false;
	table->stride = (size_t)vm_load_u64((uintptr_t)stride);

	for (size_t i = 0; i < VM_TABLE_COLUMNS && symbols->columns[i] != NULL; i++) {
		*missing = symbols->columns[i];
		const void *column = find(context, symbols->columns[i]);
		if (column == NULL || vm_load_u64((uintptr_t)column) >= table->stride)
			return false;
		table->column[i] = (size_t)vm_load_u64((uintptr_t)column);
	}

	*missing = symbols->first;
	while (text(table, table->rows, 0) != NULL) {
		if (++table->rows > MAX_ROWS)
			return false;
	}
	*missing = NULL;
	return true;
}

bool vm_structs_load(
    struct vm_structs *structs, vm_symbol_fn *find, void *context, const char **missing)
{
	*structs = (struct vm_structs){0};
	return load_table(&structs->fields, &FIELD_SYMBOLS, find, context, missing) &&
	       load_table(&structs->types, &TYPE_SYMBOLS, find, context, missing) &&
	       load_table(&structs->ints, &INT_SYMBOLS, find, context, missing) &&
	       load_table(&structs->longs, &LONG_SYMBOLS, find, context, missing);
}

/* Copies the next candidate to `name` and moves `*names` after it; false at the end. */
static bool next_name(const char **names, char name[static MAX_NAME])
{
	*names += strspn(*names, " ");
	size_t length = strcspn(*names, " ");
	if (length == 0 || length >= MAX_NAME)
		return false;
	memcpy(name, *names, length);
	name[length] = '\0';
	*names += length;
	return true;
}

/* Splits "A::B::_field" into "A::B" and "_field". */
static const char *split_name(char *name)
{
	char *colons = NULL;
	for (char *at = strstr(name, "::"); at != NULL; at = strstr(at + 2, "::"))
		colons = at;
	if (colons == NULL)
		return "";
	*colons = '\0';
	return colons + 2;
}

static bool find_field(
    const struct vm_table *fields, const char *type, const char *name, struct vm_field *field)
{
	for (size_t row = 0; row < fields->rows; row++) {
		const char *row_name = text(fields, row, FIELD_NAME);
		if (row_name == NULL || strcmp(row_name, name) != 0 ||
		    strcmp(text(fields, row, FIELD_TYPE), type) != 0)
			continue;
		const char *type_string = text(fields, row, FIELD_TYPE_STRING);
		*field = (struct vm_field){
		    .is_static = vm_load_u32(cell(fields, row, FIELD_IS_STATIC)) != 0,
		    .type_string = type_string != NULL ? type_string : "",
		};
		if (field->is_static)
			field->address = vm_load_pointer(cell(fields, row, FIELD_ADDRESS));
		else
			field->offset = (size_t)vm_load_u64(cell(fields, row, FIELD_OFFSET));
		return field->is_static ? field->address != 0 : field->offset < MAX_OFFSET;
	}
	return false;
}

bool vm_structs_field(const struct vm_structs *structs, const char *names, struct vm_field *field)
{
	char type[MAX_NAME];
	while (next_name(&names, type)) {
		const char *name = split_name(type);
		if (find_field(&structs->fields, type, name, field))
			return true;
	}
	return false;
}

/* The row whose first column is the first found of the names; `rows` without one. */
static size_t find_row(const struct vm_table *table, const char *names)
{
	char name[MAX_NAME];
	while (next_name(&names, name)) {
		for (size_t row = 0; row < table->rows; row++) {
			if (strcmp(text(table, row, 0), name) == 0)
				return row;
		}
	}
	return table->rows;
}

size_t vm_structs_size(const struct vm_structs *structs, const char *names)
{
	const size_t row = find_row(&structs->types, names);
	if (row == structs->types.rows)
		return 0;
	return (size_t)vm_load_u64(cell(&structs->types, row, TYPE_SIZE));
}

bool vm_structs_constant(const struct vm_structs *structs, const char *names, int64_t *value)
{
	size_t row = find_row(&structs->ints, names);
	if (row < structs->ints.rows) {
		*value = (int32_t)vm_load_u32(cell(&structs->ints, row, CONSTANT_VALUE));
		return true;
	}
	row = find_row(&structs->longs, names);
	if (row == structs->longs.rows)
		return false;
	*value = (int64_t)vm_load_u64(cell(&structs->longs, row, CONSTANT_VALUE));
	return true;
}

size_t vm_lookup_offset(struct vm_lookup *lookup, const char *names)
{
	struct vm_field field = {0};
	if (!vm_structs_field(lookup->structs, names, &field) || field.is_static) {
		if (lookup->missing == NULL)
			lookup->missing = names;
		return 0;
	}
	return field.offset;
}

uintptr_t vm_lookup_static(struct vm_lookup *lookup, const char *names)
{
	struct vm_field field = {0};
	if (!vm_structs_field(lookup->structs, names, &field) || !field.is_static) {
		if (lookup->missing == NULL)
			lookup->missing = names;
		return 0;
	}
	return field.address;
}

int64_t vm_lookup_constant(struct vm_lookup *lookup, const char *names)
{
	int64_t value = 0;
	if (!vm_structs_constant(lookup->structs, names, &value) && lookup->missing == NULL)
		lookup->missing = names;
	return value;
}
