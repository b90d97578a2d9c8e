"""Tasks for learning: models with observations, actions and rewards, as Gymnasium environments."""
