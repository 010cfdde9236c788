"""Events of whole hands in compiled form, to Arrow and back, and folded through the rules."""
