"""A recorded run once more: replayed without a model, or resumed where it was interrupted."""
