-- What the console keeps: who owns applications, what was asked for, who did what, and how the data API is used.

create table application_owners (
  application_key bigint not null references applications (key) on delete cascade,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  added bigint not null,
  primary key (application_key, account_id)
) /*sqlite: strict, without rowid*/;
create index application_owners_by_account on application_owners (account_id, application_key);

create table application_logos (
  application_key bigint primary key references applications (key) on delete cascade,
  content_type text not null,
  hash text not null,
  bytes bytea not null
) /*sqlite: strict*/;

-- Access to the data API, or a higher limit, as an owner asked for it and the operator answered.
create table access_requests (
  key bigint primary key,
  application_key bigint not null references applications (key) on delete cascade,
  kind text not null check (kind in ('access', 'limit')),
  account_id text /*postgres: collate "C"*/ references accounts (id) on delete set null,
  purpose text not null,
  site text not null,
  volume bigint not null,
  state text not null check (state in ('waiting', 'approved', 'refused')),
  created bigint not null,
  decided bigint,
  decided_by text,
  note text not null
) /*sqlite: strict*/;
create index access_requests_by_application on access_requests (application_key, key);
create index access_requests_by_state on access_requests (state, key);
create unique index access_requests_waiting on access_requests (application_key, kind) where state = 'waiting';

-- Requests of an application at one endpoint of the data API within an hour, which begins at `hour`.
create table usage (
  application_key bigint not null,
  hour bigint not null,
  endpoint text not null,
  requests bigint not null,
  client_errors bigint not null,
  limited bigint not null,
  server_errors bigint not null,
  primary key (application_key, hour, endpoint)
) /*sqlite: strict, without rowid*/;
create index usage_by_hour on usage (hour);

-- When an application last asked the data API. Not a column of applications: whoever is proven stays so.
create table application_uses (
  application_key bigint primary key,
  last bigint not null
) /*sqlite: strict*/;

-- When an application last read with the token of a person.
alter table consents add column read bigint;

-- Who is signed in at the console, by the hash of what the browser's cookie holds.
create table console_sessions (
  hash text primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  client_id text not null,
  created bigint not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index console_sessions_by_account on console_sessions (account_id);
create index console_sessions_by_expiry on console_sessions (expires);

-- Applications of the service itself; their secrets are sealed under the secret key, which is not in the database.
create table own_clients (
  name text primary key,
  client_id text not null references applications (client_id) on delete cascade,
  sealed_secret text not null
) /*sqlite: strict, without rowid*/;

-- Who did what, when, from where, and how it ended. Ids grow with time.
create table audit (
  id text /*postgres: collate "C"*/ primary key,
  time bigint not null,
  via text not null,
  actor_id text,
  actor text not null,
  actor_key text not null,
  address text not null,
  action text not null,
  subject text not null,
  label text not null,
  outcome text not null check (outcome in ('done', 'refused', 'failed')),
  detail text not null
) /*sqlite: strict, without rowid*/;
create index audit_by_actor on audit (actor_key, id);
create index audit_by_action on audit (action, id);
create index audit_by_subject on audit (subject, id);
create index audit_by_outcome on audit (outcome, id);

create index applications_by_name on applications (name);
