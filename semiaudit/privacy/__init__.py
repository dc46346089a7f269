"""The calculus of guarantees: what can be said of two output distributions, on the safe side.

``special`` has the functions that all rests on; ``measures`` and ``tradeoff`` what one guarantee
says; ``loss`` what composed pairs say; ``curves`` tradeoff functions with both ends;
``domination`` leads from a guarantee to a pair. On these stand ``composition``, ``group``,
``shuffling``, ``conversion`` and ``ordering``, which make new guarantees or compare them; ``mu``
and ``evaluate`` turn them into the numbers of a report. ``approximations`` are no guarantees, and
nothing else knows them.
"""
