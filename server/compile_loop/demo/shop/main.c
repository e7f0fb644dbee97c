#include "inventory.h"
#include "report.h"

static const struct {
    const char *name;
    int quantity;
    long price;
} delivery[] = {
    {"nails", 400, 2},
    {"hammers", 3, 1499},
    {"glue", 12, 549},
};

int main(void)
{
    struct inventory stock;

    inventory_init(&stock);
    for (size_t i = 0; i < sizeof delivery / sizeof delivery[0]; i++)
        if (inventory_add(&stock, delivery[i].name, delivery[i].quantity) != 0)
            return 1;
    report_print(stdout, &stok);
    return 0;
}
