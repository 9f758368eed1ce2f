"""What can be wrong with a model file."""


class ModelFileError(ValueError):
    """A file that is no model, is damaged, or comes from a newer version.

    See Also
    --------
    load : What raises it.

    Examples
    --------
    >>> import tempfile
    >>> from winnowkit import load
    >>> from winnowkit.model_file import ModelFileError
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     try:
    ...         load(file.name)
    ...     except ModelFileError:
    ...         print("refused")
    refused
    """
