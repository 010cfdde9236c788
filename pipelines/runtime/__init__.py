"""How work runs: in threads, processes and Beam, its progress, temporary files and clean-up."""
