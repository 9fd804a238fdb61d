-- Who was known by an id before being merged into another is found by it still.
create index player_aliases_by_key on player_aliases (key);
