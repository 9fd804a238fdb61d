-- offline: the version before was never released.
-- Punishments belong to the network: who may change one, who revoked it and why; and the role of moderators.

-- SQLite cannot alter a check, so a column with the new one replaces the old column.
alter table accounts add column new_role text not null default 'user' check (new_role in ('user', 'moderator', 'operator'));
update accounts set new_role = role;
alter table accounts drop column role;
alter table accounts rename column new_role to role;

-- Whether a server may change every punishment of the network or only those that it issued.
alter table servers add column punishments text not null default 'network' check (punishments in ('network', 'own'));

-- `revoked_on` is the name of the server that revoked the punishment, empty for the network's staff.
alter table punishments add column revoked_on text not null default '';
alter table punishments add column revoke_reason text not null default '';
alter table punishments add column revoker_uuid text;
alter table punishments add column revoker_name text;

-- What each key, and everybody together, did to punishments, newest first.
create index ledger_punishments on ledger (key)
  where type in ('punishment.issued', 'punishment.changed', 'punishment.revoked');
create index ledger_punishments_by_key on ledger (credential, key)
  where type in ('punishment.issued', 'punishment.changed', 'punishment.revoked');
