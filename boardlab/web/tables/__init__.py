"""Games that people and agents play on the server."""
