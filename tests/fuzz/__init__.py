"""Random inputs of every kind, run as a user runs them, and what may never come of them.

``specs``, ``mechanisms``, ``releases`` and ``tables`` make inputs that are mostly right, ``damage``
spoils some, ``trees`` and ``hook`` put them where people leave them; ``options`` makes command
lines of what the program declares. ``uses`` joins them to cases, ``corners`` has those that are
seldom. ``played`` runs a case and names what is wrong with what came of it, ``serving`` runs many
of them in processes that the system bounds. ``campaign`` is the long profile, ``test_fuzz`` the
fast one, and ``covered`` shows that nothing is left out. ``attacks`` are made by hand.
"""
