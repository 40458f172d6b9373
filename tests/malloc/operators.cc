// Each operator new and delete of C++, objects and arrays, aligned or not, of known sizes; at the end what C++
// does when memory runs out. Writes a line when the blocks are there, and waits for one to be typed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>
#include <unistd.h>

namespace {
enum { ROUNDS = 200, BYTES = 10240 };
const std::align_val_t wide{256};

struct Block {
	void *memory;
	int kind;
};

__attribute__((noinline)) void *allocate(int kind)
{
	switch (kind) {
	case 0: return operator new(BYTES);
	case 1: return operator new[](BYTES);
	case 2: return operator new(BYTES, std::nothrow);
	case 3: return operator new[](BYTES, std::nothrow);
	case 4: return operator new(BYTES, wide);
	case 5: return operator new[](BYTES, wide);
	case 6: return operator new(BYTES, wide, std::nothrow);
	default: return operator new[](BYTES, wide, std::nothrow);
	}
}

__attribute__((noinline)) void release(const Block &b, int way)
{
	const bool array = b.kind % 2 != 0;
	if (b.kind < 4)
		switch (way % 3) {
		case 0: array ? operator delete[](b.memory) : operator delete(b.memory); break;
		case 1: array ? operator delete[](b.memory, BYTES) : operator delete(b.memory, BYTES); break;
		default:
			array ? operator delete[](b.memory, std::nothrow)
			      : operator delete(b.memory, std::nothrow);
		}
	else
		switch (way % 3) {
		case 0: array ? operator delete[](b.memory, wide) : operator delete(b.memory, wide); break;
		case 1:
			array ? operator delete[](b.memory, BYTES, wide)
			      : operator delete(b.memory, BYTES, wide);
			break;
		default:
			array ? operator delete[](b.memory, wide, std::nothrow)
			      : operator delete(b.memory, wide, std::nothrow);
		}
}

void line()
{
	char byte;
	if (read(STDIN_FILENO, &byte, 1) < 0)
		std::exit(3);
}
} // namespace

int main(int argc, char **)
{
	std::vector<Block> blocks;
	std::string text;
	long aligned = 0;
	for (int i = 0; i < ROUNDS; i++)
		for (int kind = 0; kind < 8; kind++) {
			void *memory = allocate(kind);
			aligned += kind >= 4 && (uintptr_t)memory % 256 == 0;
			text += "some words ";
			blocks.push_back(Block{memory, kind});
		}
	std::printf("%ld aligned, %zu characters\n", aligned, text.size());
	std::fflush(stdout);
	line();
	for (size_t i = 0; i < blocks.size(); i++)
		release(blocks[i], static_cast<int>(i));
	int failed = 0;
	volatile size_t huge = SIZE_MAX / 4;
	if (argc == 1) /* mimalloc ends the program there, with an argument or without GCspy */
		try {
			allocate(0);
			blocks.push_back(Block{operator new(huge), 0});
		} catch (const std::bad_alloc &) {
			failed++;
		}
	failed += operator new(huge, std::nothrow) == nullptr;
	std::printf("%d failed\n", failed);
	return 0;
}
