"""What moves data: readers, Beam transforms, the store, export and the command line."""
