-- People: one account each, found by name, by e-mail address, or by the game account that it is linked to.

create table accounts (
  id text /*postgres: collate "C"*/ primary key,
  name text not null,
  name_key text not null unique,
  email text not null,
  email_key text not null unique,
  email_verified bigint not null check (email_verified in (0, 1)),
  password text,
  player_uuid text unique,
  role text not null check (role in ('user', 'operator')),
  locale text not null,
  created bigint not null,
  disabled bigint
) /*sqlite: strict, without rowid*/;

-- What a link in a mail stands for, by the hash of the secret in it. `account_id` is null while someone registers.
create table mail_tokens (
  hash text primary key,
  kind text not null check (kind in ('register', 'verify', 'reset', 'email')),
  account_id text /*postgres: collate "C"*/ references accounts (id) on delete cascade,
  email_key text not null,
  data text not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index mail_tokens_by_account on mail_tokens (account_id, kind);
create index mail_tokens_by_expiry on mail_tokens (expires);

-- The code that a player types in the game to prove that game account and account are one person's.
create table link_codes (
  account_id text /*postgres: collate "C"*/ primary key references accounts (id) on delete cascade,
  code_hash text not null unique,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index link_codes_by_expiry on link_codes (expires);

-- Where and when somebody is signed in; the session itself is a row of `tokens` with the same uid_hash.
create table account_sessions (
  uid_hash text primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  created bigint not null,
  seen bigint not null,
  address text not null,
  agent text not null
) /*sqlite: strict, without rowid*/;
create index account_sessions_by_account on account_sessions (account_id);

-- Tries at what must not be guessed: so many within a window for each address and each account.
create table attempts (
  subject text primary key,
  used bigint not null,
  resets bigint not null
) /*sqlite: strict, without rowid*/;
create index attempts_by_reset on attempts (resets);

-- Keys that sign ID tokens, sealed under the secret key, which is not in the database.
create table signing_keys (
  kid text primary key,
  created bigint not null,
  sealed text not null
) /*sqlite: strict, without rowid*/;

-- Players whose people deleted their accounts: the hash of the UUID, and whom the records call them since.
create table pseudonyms (
  uuid_hash text primary key,
  uuid text not null unique,
  name text not null,
  created bigint not null,
  ledger_done bigint not null
) /*sqlite: strict, without rowid*/;

create index tokens_by_account_kind on tokens (account_id, kind);
drop index tokens_by_account;
