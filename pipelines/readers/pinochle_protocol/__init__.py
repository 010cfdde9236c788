"""What Pinochle's server and client say to each other, in JSON."""
