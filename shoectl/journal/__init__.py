"""The journal: one append-only, hash-chained SQLite file per table. It knows nothing of what an entry means.

`Journal` writes (one process at a time), `Reader` reads while it does, `verify` proves that nothing was changed.
"""

from shoectl.journal.chain import GENESIS, Entry, Salted, inner_digest, link_of, salt_of
from shoectl.journal.clock import Clock
from shoectl.journal.file import Damaged
from shoectl.journal.reader import NOT_UNDERSTOOD, Broken, Reader, check_chain, understood, verify
from shoectl.journal.writer import Journal, JournalUnavailable

__all__ = [
    "GENESIS",
    "NOT_UNDERSTOOD",
    "Broken",
    "Clock",
    "Damaged",
    "Entry",
    "Journal",
    "JournalUnavailable",
    "Reader",
    "Salted",
    "check_chain",
    "inner_digest",
    "link_of",
    "salt_of",
    "understood",
    "verify",
]
