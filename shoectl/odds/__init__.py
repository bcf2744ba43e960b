"""What wagers are worth, counted: every deal once, in whole numbers.

A game keeps its own calculations in the `odds.py` of its folder, which is imported only when somebody asks. Nothing
here is imported by the daemon. Most of it is plain Python; where it is not quick enough numpy is used, from the extra
`shoectl[odds]`.
"""
