"""The wire languages: bytes in, events out, time is an argument."""
