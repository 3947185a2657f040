"""What `import mcsgrammar` gives beside the names of the three packages: campaigns and comparisons as a notebook has
them, with progress and with files. Above all three, as the command line is."""
