"""One model in several processes, for streams that outgrow one machine; needs ``splitgp[ray]``.

When to use it, what it costs and what was measured: docs/scale_out.md.
"""

from splitgp.ray._sharded_gp import ShardedGP

__all__ = ["ShardedGP"]
