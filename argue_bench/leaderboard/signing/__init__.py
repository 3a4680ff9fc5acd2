"""Keys: Ed25519 signatures over exact bytes, and gold sealed with a public key."""
