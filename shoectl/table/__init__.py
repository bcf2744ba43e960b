"""The session: executes steps, journal first."""
