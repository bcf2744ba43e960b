"""Devices in the pit's words: Shoe and Shuffler, over stations that keep their places occupied."""
