"""What can be wrong with a model file."""


class ModelFileError(ValueError):
    """A file that is no model, is damaged, or comes from a newer version."""
