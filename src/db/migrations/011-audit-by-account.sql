-- Everybody may read what they have done themselves.
create index audit_by_account on audit (actor_id, id);
