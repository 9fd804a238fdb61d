-- offline: the version before was never released.
-- Erasures left the names of teams with one player as they were, in a free-for-all the player's name: a job gives them the
-- pseudonym (events/jobs/anonymisation.ts).
update sequence set last = last + 1
where name = 'account' and exists (select 1 from players where name_key like 'deleted-%');
insert into jobs (key, kind, state, phase, label, params, cursor, portions, done, total, created, finished, error)
select last, 'anonymisation', 'waiting', 'work', '', '{"teams":true}', '{}', 0, 0, null, last / 2048, null, ''
from sequence where name = 'account' and exists (select 1 from players where name_key like 'deleted-%');
