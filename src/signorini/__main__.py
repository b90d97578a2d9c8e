"""`python -m signorini` is the command `signorini`."""

from signorini.cli.main import main

if __name__ == "__main__":
    main()
