"""The commands, by what they do. Each imports what it runs when it is called, so that --help is fast."""
