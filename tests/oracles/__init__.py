"""Slow and obvious versions of the engine's searches, written over the public State only.

They exist to be read beside the papers and to be compared with the engine; nothing is shared with it.
"""
