"""AlphaZero: self-play with a tree search over a neural net, which learns from what the search found."""
