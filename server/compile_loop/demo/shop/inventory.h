#ifndef INVENTORY_H
#define INVENTORY_H

#include <stddef.h>

#define INVENTORY_CAPACITY 16
#define INVENTORY_NAME_SIZE 32

struct item {
    char name[INVENTORY_NAME_SIZE];
    int quantity;
    long price; /* of one piece, in cents */
};

struct inventory {
    struct item items[INVENTORY_CAPACITY];
    size_t count;
};

void inventory_init(struct inventory *stock);

/* Returns 0, or -1 when the inventory is full. */
int inventory_add(struct inventory *stock, const char *name, int quantity, long price);

/* The value of everything in stock, in cents. */
long inventory_total(const struct inventory *stock);

/* How many items are down to fewer than limit pieces. */
size_t inventory_low(const struct inventory *stock, int limit);

#endif
