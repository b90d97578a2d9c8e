"""Contacts of flexible bodies: their surfaces against rigid shapes and against one another."""
