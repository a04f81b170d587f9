# Answers a question a line, `text<TAB>input<TAB>seconds`: what sentryward prints of it, and then the line that the caller names.
import os
import sys

from sentryward.__main__ import main

for line in sys.stdin:
    text, given, seconds = line.rstrip("\n").split("\t")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.dup2(1, 2)
        sys.argv = ["sentryward", text, "--input", given, "--timeout", seconds]
        try:
            main()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
    os.waitpid(child, 0)
    print("\n" + sys.argv[1], flush=True)
