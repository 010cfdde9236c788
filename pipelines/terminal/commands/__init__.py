"""The commands, by topic. Each imports what it runs when it is called, so that --help is fast."""
