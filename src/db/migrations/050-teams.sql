-- offline: the version before stores matches without their teams, which lists would lack.
-- The two teams of a match by their name keys, the smaller one first, with a line feed between them (store/game/own-teams.ts).
-- Null if there are not two, or one of them bears the name of its only player.
alter table matches add column teams_key text /*postgres: collate "C"*/;
-- Of older matches it is null, too, if a name has other characters than those of ASCII: databases compare cases differently.
-- Without `offset 0` PostgreSQL parses the JSON of a match for each expression.
update matches set teams_key = found.teams_key
from (
  select match_key, case when one < other then one || '
' || other else other || '
' || one end as teams_key
  from (
    select match_key, lower(teams -> 0 ->> 'name' /*postgres: collate "C"*/) as one,
      lower(teams -> 1 ->> 'name' /*postgres: collate "C"*/) as other,
      case when teams -> 0 -> 'players' -> 1 is null then lower(teams -> 0 -> 'players' -> 0 ->> 'name') end as of_one,
      case when teams -> 1 -> 'players' -> 1 is null then lower(teams -> 1 -> 'players' -> 0 ->> 'name') end as of_other
    from (select match_key, teams /*postgres: ::jsonb*/ as teams from match_details /*postgres: offset 0*/) parsed
    where teams -> 1 is not null and teams -> 2 is null /*postgres: offset 0*/) named
  where octet_length(one || other) = length(one || other)
    and (of_one is null or (one <> of_one and substr(one, 1, length(of_one) + 1) <> of_one || ' '))
    and (of_other is null or (other <> of_other and substr(other, 1, length(of_other) + 1) <> of_other || ' '))) found
where found.match_key = matches.key;
create index matches_by_teams on matches (teams_key, key) where teams_key is not null;
create index matches_by_teams_and_gamemode on matches (teams_key, gamemode, key) where teams_key is not null;
