-- offline: the version before was never released.
-- Passkeys (WebAuthn credentials); they sign in alone or as the second factor after a password.
create table passkeys (
  -- The id of the credential in base64url, which browsers send; no secret.
  id text /*postgres: collate "C"*/ primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  name text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  backed_up integer not null check (backed_up in (0, 1)),
  user_verified integer not null check (user_verified in (0, 1)),
  created bigint not null,
  last_used bigint
) /*sqlite: strict, without rowid*/;
create index passkeys_by_account on passkeys (account_id, created);

-- The secret of an authenticator app, sealed; codes of `last_step` and before do not count any more.
create table totp_secrets (
  account_id text /*postgres: collate "C"*/ primary key references accounts (id) on delete cascade,
  sealed text not null,
  last_step bigint not null,
  created bigint not null,
  last_used bigint
) /*sqlite: strict, without rowid*/;

create table recovery_codes (
  hash text primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  created bigint not null
) /*sqlite: strict, without rowid*/;
create index recovery_codes_by_account on recovery_codes (account_id);

-- Challenges of passkeys and other secrets of one use that have been used, until they expire.
create table used_challenges (
  hash text primary key,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index used_challenges_by_expiry on used_challenges (expires);

-- Sign-ins after the password or a mailed link, before the second factor.
create table pending_sign_ins (
  hash text primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  -- The interaction of oidc-provider that it belongs to, else ''.
  interaction_hash text not null,
  by_mail integer not null check (by_mail in (0, 1)),
  -- The sign-in page that a mailed link leads back to, else ''.
  flow text not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index pending_sign_ins_by_account on pending_sign_ins (account_id);
create index pending_sign_ins_by_expiry on pending_sign_ins (expires);

-- The code of a mail that confirms a change of the account's first factor, in one session.
create table factor_mail_codes (
  session_hash text primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  code_hash text not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index factor_mail_codes_by_account on factor_mail_codes (account_id);
create index factor_mail_codes_by_expiry on factor_mail_codes (expires);

-- When a session began by a mailed link, and when the person last proved to own the account in it.
alter table account_sessions add column mailed bigint;
alter table account_sessions add column proved bigint;
-- When the password was last set by a link for its reset.
alter table accounts add column password_reset bigint;

-- A restored backup must not accept a removed passkey, authenticator app or recovery code again.
/*sqlite:
create trigger revocations_of_passkeys after delete on passkeys begin
  insert into revocations (kind, subject, detail) values ('passkey', old.id, '');
end;
create trigger revocations_of_totp_secrets after delete on totp_secrets begin
  insert into revocations (kind, subject, detail) values ('authenticator app', old.account_id || ' ' || old.created, '');
end;
create trigger revocations_of_recovery_codes after delete on recovery_codes begin
  insert into revocations (kind, subject, detail) values ('recovery code', old.hash, '');
end;
*/

/*postgres:
create function note_factor_revocation() returns trigger language plpgsql as $$
begin
  if tg_argv[0] = 'passkey' then
    insert into revocations (kind, subject, detail) values ('passkey', old.id, '');
  elsif tg_argv[0] = 'authenticator app' then
    insert into revocations (kind, subject, detail) values ('authenticator app', old.account_id || ' ' || old.created, '');
  else
    insert into revocations (kind, subject, detail) values ('recovery code', old.hash, '');
  end if;
  return null;
end $$;
create trigger revocations_of_passkeys after delete on passkeys for each row
  execute function note_factor_revocation('passkey');
create trigger revocations_of_totp_secrets after delete on totp_secrets for each row
  execute function note_factor_revocation('authenticator app');
create trigger revocations_of_recovery_codes after delete on recovery_codes for each row
  execute function note_factor_revocation('recovery code');
*/
