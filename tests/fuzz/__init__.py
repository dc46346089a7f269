"""Random inputs of every kind, run as a user runs them, and what may never come of them.

``specs``, ``tables`` and ``gates`` draw inputs that are mostly right, ``damage`` spoils some;
``cases`` puts files and a command line together; ``verdicts`` runs one and names what is wrong with
it. ``test_fuzz`` is the fast profile, ``campaign`` the long one.
"""
