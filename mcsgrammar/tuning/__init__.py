"""Online tuners: they choose the open parameters of a search while it runs.

Glossary
    parameter     one open parameter: the eps of mast, the N of repeat; it has a few values, or an interval of them
    combination   one value for every parameter: a tuple of indices into their lists of values
    legal         a combination that says something no other says: where k = 0, ref means nothing, so only its first
                  value is legal
    arm           a combination, or a value of one parameter, with the rewards it met

`space.py` says what is chosen from, `protocol.py` what every tuner promises, `bandit.py` is what several are made of;
then one file a tuner, and `running.py`, a tuner at work. These are the definition, in plain Python; the compiled twin
of each is the file of its name with `_kernels`, and `state.py` says what it knows.
"""
