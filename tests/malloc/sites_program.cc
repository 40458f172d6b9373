// Call sites of C++: operators new, templates, namespaces, exceptions that pass through sampled frames.
#include <stdexcept>
#include <vector>
#include <unistd.h>

namespace shop {
struct Cart {
	std::vector<long> prices;
	char label[8];
	__attribute__((noinline)) void fill(int n)
	{
		for (int i = 0; i < n; i++)
			prices.push_back(i);
		if (n == 1000)
			throw std::runtime_error("full");
	}
};
} // namespace shop

template <typename T> __attribute__((noinline)) T *make()
{
	T *made = new T[50];
	__asm__ volatile("" ::: "memory");
	return made;
}

shop::Cart *volatile kept;

int main()
{
	char byte;
	int caught = 0;
	kept = make<shop::Cart>();
	for (int i = 0; i < 100; i++)
		try {
			shop::Cart one;
			one.fill(1000);
		} catch (const std::exception &) {
			caught++;
		}
	if (caught != 100 || write(1, "ready\n", 6) != 6 || read(0, &byte, 1) < 0)
		return 1;
	return 0;
}
