"""The command line: parse, call, print. Heavy imports wait inside the commands, so that `--help` answers at once."""
