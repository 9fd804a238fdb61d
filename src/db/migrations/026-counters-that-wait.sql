-- While much is told, what many matches add to their players' counters is written together, once. Until then the rows of
-- those matches hold all of it: the newest match that a player's counters know is `player_stats.last_match`, and what the
-- player played since is added by whoever reads them.
-- Where such matches begin: behind this key. Null while there are none.
alter table sequence add column counted bigint;
-- Counters that have no column of their own, in the order of the group's, as a JSON array; null where all are zero. It is
-- read of matches that wait, and is not known of older ones.
alter table player_matches add column rest text;
