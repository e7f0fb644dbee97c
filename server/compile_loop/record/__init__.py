"""What a run leaves for later."""
