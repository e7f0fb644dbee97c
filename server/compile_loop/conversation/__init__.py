"""What is said to a model: prompts, failures, the transcript. Pure."""
