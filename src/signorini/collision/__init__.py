"""From shapes in space to contacts."""
