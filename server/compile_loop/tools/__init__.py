"""What a model may call: one file a tool, one catalogue. Pure: files come through the context that the engine gives."""
