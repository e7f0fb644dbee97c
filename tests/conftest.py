"""What every ring shares."""
