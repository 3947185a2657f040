"""The longest games of Morpion Solitaire that discovered algorithms find."""
