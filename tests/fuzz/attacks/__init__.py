"""Attacks of somebody who may write files next to the program's, or who starves it.

Each makes a folder, runs the program in it, and returns what may not have come of it.
"""
