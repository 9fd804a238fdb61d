-- A new logo of an application that an operator has approved waits with its change; null where the logo stays.
alter table application_changes add column logo_type text;
alter table application_changes add column logo_hash text;
alter table application_changes add column logo_bytes bytea;
