-- offline: the version before was never released.
-- When the person of a session last entered the password. Operator acts that give power need it within ten minutes.
alter table console_sessions add column authenticated bigint not null default 0;

-- A new name or new redirect URIs of an application that an operator has approved; they wait for an operator again. `key`
-- changes with each request, so that an operator decides about what the page has shown.
create table application_changes (
  application_key bigint primary key references applications (key) on delete cascade,
  key bigint not null,
  name text not null,
  redirect_uris text not null,
  account_id text /*postgres: collate "C"*/ references accounts (id) on delete set null,
  created bigint not null
) /*sqlite: strict*/;
create unique index application_changes_by_key on application_changes (key);
