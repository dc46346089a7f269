"""The Python library: specs, reports, guarantees, mechanisms, tradeoff functions.

Each class wraps the results of lower layers, and adds no calculus of its own. ``semiaudit`` exports
them.
"""
