FORMAT="cardlog-jsonl"
GAMES=()
LINE_PER_HAND=False
def sniff(head): return False
