"""PINs and tokens: their rules, and what of them is kept.

A PIN is short, so its hash is slow (argon2id) and the file of hashes is for its owner alone; what keeps a PIN from
being guessed is the limit on tries (attempts.py). A token is 32 random bytes, which nobody guesses: SHA-256 of it is
kept.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from shoectl.errors import BadInput

LEAST, MOST = 4, 12  # digits
PIN_RULES: Final = f"a PIN has {LEAST} to {MOST} digits, not all alike, and is not the operator number"

# RFC 9106's second choice (64 MiB, 3 passes), on one lane: two of these at a time are what sign-ins may take.
HASHER: Final = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=1)


def check_pin(pin: str, number: int) -> None:
    """Whether this can be the PIN of an operator. Raises BadInput with the rules; its text does not hold the PIN."""
    good = pin.isascii() and pin.isdigit() and LEAST <= len(pin) <= MOST
    if not good or len(set(pin)) == 1 or pin.lstrip("0") == str(number):
        raise BadInput(PIN_RULES)


def new_pin(number: int) -> str:
    """A random PIN of six digits."""
    while True:
        pin = f"{secrets.randbelow(10**6):06d}"
        if len(set(pin)) > 1 and pin.lstrip("0") != str(number):
            return pin


def hash_pin(pin: str, hasher: PasswordHasher = HASHER) -> str:
    """What is kept of a PIN. Takes about a tenth of a second: not for the event loop."""
    return hasher.hash(pin)


def pin_fits(pin: str, kept: str, hasher: PasswordHasher = HASHER) -> bool:
    """Whether this is the PIN. Takes as long as `hash_pin`."""
    try:
        return hasher.verify(kept, pin)
    except (VerificationError, InvalidHashError):
        return False


def new_token(number: int) -> str:
    """A token for a program of an operator: his number, a dot, 32 random bytes."""
    return f"{number}.{secrets.token_urlsafe(32)}"


def hash_token(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def token_fits(token: str, kept: str) -> bool:
    """Whether this is the token."""
    return hmac.compare_digest(hash_token(token), kept)
