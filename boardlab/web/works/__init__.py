"""Trainings and tournaments: processes of their own, which outlive the server."""
