-- offline: the version before was never released.
-- What imports from databases of other programs have read, so that the next import reports only changes. Deleting a source
-- loses nothing: its next import reads everything again, and the ids of its events are still the same.
create table import_sources (
  key bigint primary key,
  name text not null unique,
  imported bigint not null
) /*sqlite: strict*/;

-- How far an import has read a table that only grows. For each of several tables of one source there is a `part`.
create table import_marks (
  source_key bigint not null references import_sources (key) on delete cascade,
  part text /*postgres: collate "C"*/ not null,
  mark text not null,
  primary key (source_key, part)
) /*sqlite: strict, without rowid*/;

-- The rows of tables that change. `hash` is keyed with the secret of the installation, and empty where it is not known any
-- more; `version` counts the changes that were reported.
create table import_rows (
  source_key bigint not null references import_sources (key) on delete cascade,
  part text /*postgres: collate "C"*/ not null,
  row_id text /*postgres: collate "C"*/ not null,
  reference text not null,
  hash text not null,
  version bigint not null,
  revoked bigint not null check (revoked in (0, 1)),
  expires bigint,
  primary key (source_key, part, row_id)
) /*sqlite: strict, without rowid*/;
