"""A model in shards: what it survives, what it costs, how far it reaches (docs/scale_out.md)."""
