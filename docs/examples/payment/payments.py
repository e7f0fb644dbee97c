"""Payments out of one account."""


def settle(balance, payments, limit=100):
    """Make payments in their order; returns (the ids of those made, what is left).

    A payment is (id, amount). A part of a split payment has its id before a slash: "7/1" and "7/2" are parts of 7.
    """
    return [], balance
