"""From a view to what a page shows: pure functions, no clock, no I/O; and the fields of the forms that come back.

Every form sends `token` and `ref`. What else, by its address and by what the open step takes (forms.py reads it):

    /act/answer       `takes`, and of
        Done          nothing
        Wagers        `wager-SEAT-WAGER`, an amount each; empty or 0: not placed
        Decision      `choice`: a name, or a name and an amount (`raise 20`); `amount`, where the name stands alone
        Declared      `declared`: yes or no
        Given         `number`
        Faces         `cards`, as text; empty: as the shoe read them
        Setting       `cards`, a field for each card of the low hand; none: the house's way
        FloorWord     `choice`
        Settled       `outcome`, `amount` (may be empty)
        Reading       `amount`, or `pick`
        Brought       `choice`: yes or no
        Counted       `number`
        Drawn         `cards`, may be empty; `through`: the parts below this number are answered, one after another
    /act/held         `how`; for `card`: `cards`, the same in `again`, and `floor` with `pin` for the second person
    /act/report       `what`, `place`, `cards` (may be empty)
    /act/call-floor   nothing
"""
