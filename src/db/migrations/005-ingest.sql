-- offline: the version before was never released.
-- A keyed hash of the content of each event, to tell an event that is sent again from another one with the same id. Null
-- for events that were stored before, or whose players were anonymised since: their content is not compared.
alter table ledger add column content_hash text;

-- The event that gave a map its present content.
alter table maps add column changed_key bigint not null default 0;
update maps set changed_key = coalesce((
  select max(l.key) from ledger l
  where l.aggregate = ('map ' || maps.name_key) /*postgres: collate "default"*/ and l.type = 'map.published' and l.time = maps.published
    and l.scope_key = maps.publisher_key and l.withdrawn is null), 0);

-- All problems of a rejected event as JSON, where there are several.
alter table refusals add column problems text;

-- Accepted events with values that are not plausible, the newest of each server. The key is the receipt.
create table event_warnings (
  key bigint primary key,
  scope_key bigint not null,
  event_id text not null,
  type text not null,
  warnings text not null,
  received bigint not null
) /*sqlite: strict*/;
create index event_warnings_by_scope on event_warnings (scope_key, key);
