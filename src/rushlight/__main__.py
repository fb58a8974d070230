"""``python -m rushlight`` is the command ``rushlight``."""

import sys

from rushlight.cli import main

sys.exit(main())
