"""refuses.py: what the tests of the Python package share."""


def refuses(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"nothing said {text!r}")
