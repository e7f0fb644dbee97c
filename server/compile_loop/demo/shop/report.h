#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "inventory.h"

/* Prints one line for each item, then the total. */
void report_print(FILE *out, const struct inventory *stock);

#endif
