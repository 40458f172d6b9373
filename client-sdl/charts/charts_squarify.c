#include "charts_squarify.h"

/* The worst aspect ratio in a row of areas that add up to `sum`, along a side. */
static double worst(double largest, double smallest, double sum, double side)
{
	double square = side * side, all = sum * sum;
	double a = square * largest / all, b = all / (square * smallest);
	return a > b ? a : b;
}

/* Places a row along the shorter side and cuts it off the room. */
static void place(const double *weight, uint32_t count, double sum, double scale, struct box *room,
    struct box *box)
{
	double area = sum * scale;
	int flat = room->w < room->h; /* a row at the top, else a column at the left */
	double side = flat ? room->w : room->h;
	double thick = side > 0 ? area / side : 0;
	double most = flat ? room->h : room->w;
	thick = thick < most ? thick : most;
	double at = 0;
	for (uint32_t i = 0; i < count; i++) {
		double length = weight[i] / sum * side;
		if (flat)
			box[i] = (struct box){room->x + at, room->y, length, thick};
		else
			box[i] = (struct box){room->x, room->y + at, thick, length};
		at += length;
	}
	if (flat) {
		room->y += thick;
		room->h -= thick;
	} else {
		room->x += thick;
		room->w -= thick;
	}
}

void squarify(const double *weight, uint32_t count, struct box room, struct box *box)
{
	double all = 0;
	for (uint32_t i = 0; i < count; i++) {
		all += weight[i];
		box[i] = (struct box){room.x, room.y, 0, 0};
	}
	while (count > 0 && !(weight[count - 1] > 0))
		count--;
	if (!(all > 0) || !(room.w > 0) || !(room.h > 0))
		return;
	double scale = room.w * room.h / all;
	uint32_t first = 0;
	while (first < count) {
		double side = (room.w < room.h ? room.w : room.h);
		double sum = weight[first];
		uint32_t n = 1;
		double ratio = worst(sum * scale, sum * scale, sum * scale, side);
		while (first + n < count) {
			double next = sum + weight[first + n];
			double with = worst(
			    weight[first] * scale, weight[first + n] * scale, next * scale, side);
			if (!(with <= ratio))
				break;
			ratio = with;
			sum = next;
			n++;
		}
		place(weight + first, n, sum, scale, &room, box + first);
		first += n;
	}
}
