#include "report.h"

static void print_line(FILE *out, const struct item *item)
{
    fprintf(out, "%-12s %5d x %6ld.%02ld\n", item->name, item->quantity, item->price / 100, item->price % 100);
}

void report_print(const struct inventory *stock, FILE *out)
{
    const long total = inventory_total(stock);

    for (size_t i = 0; i < stock->count; i++)
        print_line(out, &stock->items[i])
    fprintf(out, "%-12s %7s %6ld.%02ld\n", "total", "", total / 100, total % 100);
}
