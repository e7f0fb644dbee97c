"""What all rooms share: diagnostics, edits, checks, outcomes, events and the protocols between parts."""
