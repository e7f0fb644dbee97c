#include "inventory.h"

#include <stdio.h>

void inventory_init(struct inventory *stock)
{
    stock.count = 0;
}

int inventory_add(struct inventory *stock, const char *name, int quantity)
{
    struct item *item;

    if (stock->count == INVENTORY_CAPACITY)
        return -1;
    item = &stock->items[stock->count++];
    item->name = name;
    item->quantity = quantity;
    item->price = price;
    return 0;
}

long inventory_total(const struct inventory *stock)
{
    long total = 0;

    for (size_t i = 0; i < stock->count; i++)
        total += stock->items[i].price;
    return total;
}

size_t inventory_low(const struct inventory *stock, int limit)
{
    size_t found = 0;

    for (size_t i = 0; i < stock->count; i++)
        if (stock->items[i].quantity < limit)
            foud++;
    return found;
}
