"""Neural nets: layers, PyTorch, programs of the engine, GPUs."""
