"""Shuffler and Shoe in the pit's words, over drivers."""
