-- offline: the version before was never released.
-- One name, subject and detail per act, whether it was done in the console, by command or by a file.
update audit set action = 'account.role', detail = '{"role":"operator"}' where action = 'account.make_operator';
update audit set action = 'account.role', detail = '{"role":"moderator"}' where action = 'account.make_moderator';
update audit set action = 'account.role', detail = '{"role":"user"}' where action = 'account.make_user';
update audit set action = 'account.enable', detail = '{}'
where action = 'account.disable' and detail like '%"undo":"true"%';
-- Commands recorded the account as a member of another name.
update audit set detail = replace(detail, '"account":', '"owner":')
where via = 'command' and action in ('application.owner.add', 'application.owner.remove');
-- What was undone of a key has the key as its subject; what was undone of a punishment, the punishment.
update audit set action = 'punishment.undo_key'
where action = 'punishment.undo' and (detail like '%"job":%' or (via = 'command' and subject <> ''));
-- Commands recorded the name of a game server as the subject. Its id is its key in base 32.
update audit set label = subject, subject =
  substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 1125899906842624) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 35184372088832) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 1099511627776) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 34359738368) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 1073741824) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 33554432) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 1048576) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 32768) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 1024) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast((s.key / 32) % 32 as integer) + 1, 1)
    || substr('0123456789abcdefghjkmnpqrstvwxyz', cast(s.key % 32 as integer) + 1, 1)
from (
  select a.subject as typed, min(g.key) as key
  from (select distinct subject from audit where via = 'command' and action like 'server.%') a
  join servers g on g.name = a.subject or g.name_key = lower(a.subject)
  group by a.subject
) s
where via = 'command' and action like 'server.%' and subject = s.typed;
