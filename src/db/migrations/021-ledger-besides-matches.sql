-- What a server has sent is found through `matches_by_server`, as far as it is matches that stand: a match has the key of
-- its event, the server of its scope, and goes when the event is withdrawn. Only the rest needs an index of its own; see
-- records/sent.ts.
drop index ledger_by_scope;
create index ledger_besides_matches on ledger (scope_key, key)
  where type <> 'match.finished' or withdrawn is not null;
