"""Games played: simulations, play-offs, ladders, and hands played choice by choice."""
