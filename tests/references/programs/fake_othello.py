"""Speaks NBoard or Edax's console, and plays the first legal action: an Othello of its own, made to be checked."""

import re
import sys

DIRECTIONS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]


def first_legal(board, me):
    other = "XO"[me == "X"]
    for square in range(64):
        if board[square] != "-":
            continue
        for dr, dc in DIRECTIONS:
            row, col, count = square // 8 + dr, square % 8 + dc, 0
            while 0 <= row < 8 and 0 <= col < 8 and board[8 * row + col] == other:
                row, col, count = row + dr, col + dc, count + 1
            if count and 0 <= row < 8 and 0 <= col < 8 and board[8 * row + col] == me:
                return "abcdefgh"[square % 8] + str(square // 8 + 1)
    raise SystemExit("asked to play where there is only a pass")


protocol = sys.argv[1]
board, me = "", ""
if protocol == "edax":
    print("This is a fake Edax", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "ping":
        print(f"pong {words[1]}", flush=True)
    elif words[0] == "set" and words[1] == "game":
        found = re.search(r"BO\[8 ([-*O]{64}) ([*O])\]", line)
        board, me = found[1].replace("*", "X"), found[2].replace("*", "X")
        print("status thinking", flush=True)
    elif words[0] == "setboard":
        board, me = words[1][:64], words[1][64]
    elif words[0] == "go" and protocol == "nboard":
        print(f"=== {first_legal(board, me).upper()}/1.50/0.2", flush=True)
    elif words[0] == "go":
        print(f"\n\nEdax plays {first_legal(board, me).upper()}\n", flush=True)
