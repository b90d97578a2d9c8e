"""Second-order steps with hard contact: the generalised-alpha method with impulses."""
