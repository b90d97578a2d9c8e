"""Block algebra of the interior points: scaling, steps, starts, compiled small loops."""
