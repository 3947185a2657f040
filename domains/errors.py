"""The kinds of failure that are somebody's to mend, and whose they are.

Every message says what is wrong, where, and what to do about it. Anything that is not a `UserError` is a bug of ours
and may show a traceback.
"""


class UserError(Exception):
    """A mistake in what was typed or handed over. The command line prints it and exits with status 2."""


class UnknownDomain(UserError):
    """No problem goes by this name, or its options do not fit."""


class DomainError(UserError):
    """A domain breaks one of its promises: it raises, returns NaN, runs past its `max_length`, …"""
