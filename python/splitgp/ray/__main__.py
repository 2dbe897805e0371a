"""`python -m splitgp.ray stream …`."""

import sys

from splitgp.ray._stream import main

sys.exit(main())
