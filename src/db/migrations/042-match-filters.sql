-- offline: the version before was never released.
-- The data API lists the matches of a gamemode on a map or on a server by their arrival.
create index matches_by_gamemode_and_map on matches (gamemode, map_key, key);
create index matches_by_gamemode_and_server on matches (gamemode, server_key, key);

-- Known gamemodes of a map are stored as PGM's tags, in lower case. Within a name every quotation mark of JSON is escaped.
update maps set gamemodes =
  replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(gamemodes,
  '"CTW"', '"ctw"'),
  '"DTC"', '"dtc"'),
  '"DTM"', '"dtm"'),
  '"CTF"', '"ctf"'),
  '"CP"', '"cp"'),
  '"KOTH"', '"koth"'),
  '"PAYLOAD"', '"payload"'),
  '"TDM"', '"tdm"'),
  '"BLITZ"', '"blitz"'),
  '"FFA"', '"ffa"'),
  '"RAGE"', '"rage"'),
  '"BOWSPLEEF"', '"bowspleef"'),
  '"TNTRUN"', '"tntrun"'),
  '"PAINTBALL"', '"paintball"'),
  '"SPLATT"', '"splatt"')
where gamemodes <> lower(gamemodes);
