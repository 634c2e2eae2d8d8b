"""AlphaZero: a neural net that learns from self-play with tree search."""
