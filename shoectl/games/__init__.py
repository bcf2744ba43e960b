"""What is played: procedures, cards and chips, without I/O."""
