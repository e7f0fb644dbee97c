"""`python -m compile_loop` is the command line."""

from compile_loop.cli.main import main

main()
