"""What a program in Python works with: specs, reports, guarantees, mechanisms, tradeoff functions.

Each wraps what the floors below compute, and adds no calculus of its own. ``semiaudit`` exports
them (docs/decisions/0033-the-library.md).
"""
