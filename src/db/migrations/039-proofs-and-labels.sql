-- offline: the version before was never released.
-- When the factor was added that proved who uses a session: the newest one alone cannot stop a reset.
alter table account_sessions add column proved_by bigint;

-- The label of a player without a name has both ends of the UUID, and is found by no name.
update player_names set name_key = '', name = (
    select substr(p.uuid, 1, 8) || '-' || substr(p.uuid, 25) from players p where p.key = player_names.player_key)
where name_key = (select substr(p.uuid, 1, 13) from players p where p.key = player_names.player_key);
update players set name_key = '', name = substr(uuid, 1, 8) || '-' || substr(uuid, 25)
where name_key = substr(uuid, 1, 13);
