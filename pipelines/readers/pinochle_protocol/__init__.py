"""The JSON messages between Pinochle's server and client."""
