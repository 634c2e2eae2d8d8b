"""Analysis: games on a desk, what agents think of their positions, and where they were lost."""
