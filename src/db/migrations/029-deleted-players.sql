-- offline: the version before was never released.
-- The punishments of a player whose account was deleted are those of the pseudonym, which `pseudonyms` binds to the keyed hash
-- of the UUID.
drop table held_punishments;
