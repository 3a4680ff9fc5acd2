"""Web pages that answers cite: fetched once and politely, kept as a snapshot, scored offline."""
