"""DH tables in TOML or from Python."""
