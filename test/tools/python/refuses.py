"""refuses.py: the tests of the Python package share this check of an error."""


def refuses(kind, text, call):
    """Checks that a call raises an exception of a kind, and that its message has a text."""
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"nothing said {text!r}")
