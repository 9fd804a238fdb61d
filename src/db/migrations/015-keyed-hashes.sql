-- Codes and UUIDs that could be found by trying are hashed under the secret key, which is not in the database. What was
-- hashed without it is let go of: a code is shown anew, and a pseudonym that is through stays in the records alone.
delete from link_codes;
delete from pseudonyms where original is null;

-- What the installation has outside the database, as far as the database can tell it again.
create table installation (
  name text primary key,
  value text not null
) /*sqlite: strict, without rowid*/;
