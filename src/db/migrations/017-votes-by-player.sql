-- What somebody has rated is looked up when they ask for everything that is held of them, and when players are merged.
create index map_votes_by_player on map_votes (player_key, map_key, version);
