"""Packs of numbers: the types, loads and stores, sine and cosine."""
