"""Pictures of what was recorded. The only folder that imports matplotlib, and only when something is drawn."""
