-- The data API lists the matches of a gamemode on a map or on a server by their arrival.
create index matches_by_gamemode_and_map on matches (gamemode, map_key, key);
create index matches_by_gamemode_and_server on matches (gamemode, server_key, key);
