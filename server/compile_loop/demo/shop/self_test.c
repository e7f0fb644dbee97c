#include <stdio.h>

#include "inventory.h"

static int failures;

static void expect(int line, const char *what, long expected, long got)
{
    if (expected != got) {
        fprintf(stderr, "%s:%d: error: %s: expected %ld, got %ld\n", __FILE__, line, what, expected, got);
        failures++;
    }
}

int main(void)
{
    struct inventory stock;

    inventory_init(&stock);
    expect(__LINE__, "total of nothing", 0, inventory_total(&stock));
    expect(__LINE__, "adding hammers", 0, inventory_add(&stock, "hammers", 3, 1499));
    expect(__LINE__, "adding glue", 0, inventory_add(&stock, "glue", 12, 549));
    expect(__LINE__, "total of two items", 3 * 1499 + 12 * 549, inventory_total(&stock));
    expect(__LINE__, "items with fewer than five pieces", 1, (long)inventory_low(&stock, 5));
    if (failures == 0)
        puts("self-test passed");
    return failures != 0;
}
