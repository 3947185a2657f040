"""The pages of the manual, and what writes some of them."""
