"""`python -m overbite_conform` is the same program as `overbite-conform`."""

import sys

from overbite_conform.cli import main

sys.exit(main())
