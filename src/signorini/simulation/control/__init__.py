"""What a controller reads and sets between steps: joints, motors, wrenches, contact forces, Jacobians, mass matrix."""
