-- offline: the version before was never released.
-- A new logo of an application that an operator has approved waits with its change; null where the logo stays.
alter table application_changes add column logo_type text;
alter table application_changes add column logo_hash text;
alter table application_changes add column logo_bytes bytea;

-- Migration 013 marked every match of a surviving player. The mark belongs only to matches whose event names a UUID that was
-- merged into that player; while an anonymisation is not complete, events have the UUID that its pseudonym replaces.
delete from merged_in_matches
where exists (select 1 from ledger l where l.key = merged_in_matches.match_key)
  and not exists (
    select 1 from players p
    join player_aliases a on a.into_uuid = p.uuid
    left join pseudonyms s on s.uuid = a.uuid
    join ledger l on l.key = merged_in_matches.match_key
    where p.key = merged_in_matches.player_key
      and (l.body like '%' || a.uuid || '%' or l.body like '%' || s.original || '%')
  );
-- Cached matches show the name that was reported again.
/*sqlite: update data_versions set value = value + 1 where name = 'matches'; */
