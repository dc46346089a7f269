"""The calculus of guarantees: certified bounds on how well two output laws can be distinguished.

``special`` has the functions that all rests on; ``measures`` what G_mu, zCDP and pairs of noise
say by themselves; ``tradeoff`` tradeoff functions as values; ``loss`` what composed pairs say;
``domination`` leads from a guarantee to a pair. On these stand ``conversion``, ``ordering``,
``composition``, ``group`` and ``shuffling``, which make new guarantees or compare them; ``mu`` and
``evaluate`` turn them into the numbers of a report. ``approximations`` are no guarantees, and
nothing else knows them.
"""
