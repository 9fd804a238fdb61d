-- offline: the version before was never released.
-- The data API lists matches of a map, of a gamemode and of ranked games by their arrival, ranked games also by their end. An
-- index with `ranked` before the key serves lists with and without that filter.
alter table matches add column ranked bigint not null default 0 check (ranked in (0, 1));
-- Within a name every quotation mark of JSON is escaped, so that only the member matches.
update matches set ranked = 1 where head like '%","ranked":true,%';
create index matches_by_map on matches (map_key, ranked, key);
create index matches_by_gamemode on matches (gamemode, ranked, key);
create index matches_by_ranked on matches (ranked, key);
create index matches_by_ranked_and_end on matches (ranked, finished, key);

-- How often the sign-ins of an account have been ended together. A sign-in names the count that it began with, and is refused
-- once another one counts (store/accounts/account-sessions.ts).
alter table accounts add column sign_ins_ended bigint not null default 0;
alter table pending_sign_ins add column sign_ins_ended bigint not null default 0;

-- Another kind of notice: a reset of second factors that has been carried out.
alter table account_notices rename to linked_notices;
create table account_notices (
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('linked', 'factors_removed')),
  label text not null,
  created bigint not null,
  primary key (account_id, kind, created)
) /*sqlite: strict, without rowid*/;
insert into account_notices (account_id, kind, label, created) select account_id, kind, label, created from linked_notices;
drop table linked_notices;

-- The total of all maps has an empty name, so that the number of matches is one row.
insert into map_results (map_key, team, play, win)
select '', '', sum(play), sum(win) from map_results where team = '' having count(*) > 0;
