"""What a count says: the table of common.md §9, read from the top."""

from __future__ import annotations

from protocols.vocabulary import Mode, Verdict, VerdictFlag


def verdict(
    flags: int, counted: int, expected: int, *, early: bool = False, doubt: bool = False, differs: bool = False
) -> Verdict:
    """The first line that applies.

    `doubt`: in and out differ, or a card was not read, or did not belong; `differs`: composition.
    """
    if early:
        return Verdict.ABORTED
    if flags & (VerdictFlag.MANUAL | VerdictFlag.UNCERTAIN):
        return Verdict.UNKNOWN
    if counted != expected:
        return Verdict.SHORT if counted < expected else Verdict.OVER
    if doubt:
        return Verdict.UNKNOWN
    if flags & VerdictFlag.COMPOSITION_COMPARED and differs:
        return Verdict.COMPOSITION
    return Verdict.OK if flags >> 4 == Mode.SHUFFLE - 1 else Verdict.NOT_A_SHUFFLE
