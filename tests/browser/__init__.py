"""Tests of the pages in a browser: a real daemon, a real page, a person with a mouse, a keyboard or a phone."""
