import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvent } from '#events/schema/index.ts';
import { implausibleMatch } from '#events/schema/match-plausibility.ts';
import { MINUTE } from '#demo/network/calendar.ts';
import { sampleNetwork, ZONE } from '#demo/network/index.ts';
import { hoursIn, NOW, ofType, type OfType, shortHistory } from './sample.ts';

type Match = OfType<'match.finished'>;

test('the demo has a history of 5,000 matches that ends just before now', () => {
  let [matches, last] = [0, 0];
  for (const event of sampleNetwork({ seed: 'scorehall', now: NOW }).events()) {
    if (event.type !== 'match.finished') continue;
    matches++;
    last = Date.parse(event.data.finished);
  }
  assert.equal(matches, 5000);
  assert.ok(NOW - last < 60 * MINUTE && last <= NOW);
});

test('evenings are busier than mornings', () => {
  const { events } = shortHistory();
  const hourOf = hoursIn(ZONE);
  const hours = ofType(events, 'match.finished').map(({ data }) => hourOf(Date.parse(data.started)));
  const evening = hours.filter((hour) => hour >= 18 && hour < 23).length;
  const morning = hours.filter((hour) => hour >= 6 && hour < 11).length;
  assert.ok(evening > 4 * morning, `${evening} in the evening, ${morning} in the morning`);
});

test('better players win more', () => {
  const { sample, events } = shortHistory();
  const records = new Map(sample.players.map(({ uuid }) => [uuid, { plays: 0, wins: 0 }]));
  for (const { data } of ofType(events, 'match.finished')) {
    for (const team of data.teams) {
      for (const { uuid } of team.players) {
        const record = records.get(uuid)!;
        record.plays++;
        if (team.name === data.win) record.wins++;
      }
    }
  }
  const rate = (better: boolean): number => {
    const selected = sample.players.filter(({ skill }) => (better ? skill > 0.5 : skill < -0.5));
    const sums = selected.map(({ uuid }) => records.get(uuid)!);
    return sums.reduce((sum, { wins }) => sum + wins, 0) / sums.reduce((sum, { plays }) => sum + plays, 0);
  };
  assert.ok(rate(true) > rate(false) + 0.05, `${rate(true)} against ${rate(false)}`);
});

test('nobody plays two matches at the same time', () => {
  const spans = new Map<string, [number, number][]>();
  for (const { data } of ofType(shortHistory().events, 'match.finished')) {
    for (const { uuid, time_played } of data.teams.flatMap(({ players }) => players)) {
      const finished = Date.parse(data.finished);
      spans.set(uuid, [...(spans.get(uuid) ?? []), [finished, time_played! * 1000]]);
    }
  }
  for (const [uuid, played] of spans) {
    const total = played.reduce((sum, [, length]) => sum + length, 0);
    const ends = played.map(([end]) => end);
    assert.ok(total <= Math.max(...ends) - Math.min(...ends) + 30 * MINUTE, `${uuid} plays longer than there is time`);
  }
});

test('matches of a server do not overlap, and ranked matches are on the ranked server, with equal teams', () => {
  const byServer = Map.groupBy(ofType(shortHistory().events, 'match.finished'), ({ server }) => server);
  for (const matches of byServer.values()) {
    matches.reduce((before, match) => {
      assert.ok(match.data.started > before.data.finished);
      return match;
    });
  }
  const ranked = ofType(shortHistory().events, 'match.finished').filter(({ data }) => data.ranked);
  assert.ok(ranked.length > 5 && ranked.every(({ server }) => server === 'Foundry'));
  for (const { data } of ranked) assert.equal(new Set(data.teams.map(({ players }) => players.length)).size, 1);
});

test('kills, objectives and winner of a match are consistent', () => {
  for (const match of ofType(shortHistory().events, 'match.finished')) {
    const players = match.data.teams.flatMap((team) => team.players);
    const kills = players.reduce((sum, { kill_count }) => sum + kill_count!, 0);
    const deaths = players.reduce((sum, { death_count }) => sum + death_count!, 0);
    assert.ok(kills <= deaths, `${match.id}: more kills than deaths`);
    if (match.data.kills !== undefined) {
      assert.equal(match.data.kills.length, deaths, match.id);
      assert.equal(match.data.kills.filter(({ killer }) => killer !== null).length, kills, match.id);
    }
    checkTimestamps(match);
    if (match.data.gamemode === 'tdm' || match.data.gamemode === 'rage') checkLeader(match);
    if (match.data.gamemode === 'ctw' && match.data.win !== '') {
      const own = match.data.objectives!.filter(({ team }) => team === match.data.win);
      assert.equal(own.length, 2, `${match.id}: the winner has placed both wools`);
    }
  }
});

test('deaths have places, some are falls into the void, monuments have shares, factions ids and servers icons', () => {
  const { events } = shortHistory();
  const matches = ofType(events, 'match.finished').map(({ data }) => data);
  const deaths = matches.flatMap(({ kills = [] }) => kills);
  const placed = deaths.filter(({ location }) => location !== undefined);
  assert.ok(placed.length > 0.8 * deaths.length && placed.length < deaths.length);
  const falls = placed.filter(({ killer, location }) => killer === null && location!.y < 0);
  assert.ok(falls.length > 0 && placed.every(({ killer, location }) => (killer === null) === location!.y < 0));
  const percentages = matches.flatMap(({ objectives = [] }) =>
    objectives.filter(({ percent }) => percent !== undefined),
  );
  assert.ok(percentages.length > 0 && percentages.every(({ type }) => type === 'destroyable'));
  assert.equal(
    percentages.reduce((sum, { percent }) => sum + percent!, 0),
    50 * percentages.length,
  );
  const factions = ofType(events, 'player.statistics').map(({ data }) => data);
  assert.ok(factions.some(({ faction_id }) => faction_id !== ''));
  assert.ok(factions.every(({ faction, faction_id }) => (faction === '') === (faction_id === '')));
  assert.equal(new Set(ofType(events, 'server.configured').map(({ data }) => data.icon)).size, 8);
});

test('some free-for-all matches have several winners, who did not fall', () => {
  const survivals = ofType(shortHistory().events, 'match.finished').filter(({ data }) => data.winners !== undefined);
  assert.ok(survivals.length > 0);
  for (const { id, data } of survivals) {
    const { win, winners = [], teams } = data;
    assert.ok(win === undefined && winners.length >= 2 && winners.length < teams.length, id);
    const standing = teams.filter(({ players }) => players[0]!.death_count === 0).map(({ name }) => name);
    assert.deepEqual(standing.toSorted(), winners.toSorted(), id);
  }
});

test('a person has two game accounts, one after the other, which the operator merges', () => {
  const { events } = shortHistory();
  const [merge, ...others] = ofType(events, 'player.merged');
  assert.equal(others.length, 0);
  const { from, into } = merge!.data;
  const ended = Date.parse(merge!.time);
  const playedBy = (uuid: string) =>
    ofType(events, 'match.finished').filter(({ data }) =>
      data.teams.some(({ players }) => players.some((one) => one.uuid === uuid)),
    );
  assert.ok(playedBy(from).every(({ data }) => Date.parse(data.started) < ended));
  assert.ok(playedBy(into).every(({ data }) => Date.parse(data.finished) > ended));
  assert.ok(playedBy(from).length + playedBy(into).length > 0);
});

test('no match of the demo has a value that no game gives', () => {
  for (const event of ofType(shortHistory().events, 'match.finished')) {
    const read = readEvent(event);
    assert.ok('event' in read, event.id);
    assert.deepEqual(implausibleMatch(read.event.data as Parameters<typeof implausibleMatch>[0]), [], event.id);
  }
});

function checkTimestamps({ id, data }: Match): void {
  const timestamps = [...data.objectives!.map(({ time }) => time), ...(data.kills ?? []).map(({ time }) => time)];
  assert.ok(
    timestamps.every((time) => time >= data.started && time <= data.finished),
    id,
  );
}

function checkLeader({ id, data }: Match): void {
  const totals = data.teams.map((team) => team.players.reduce((sum, { score }) => sum + score!, 0));
  const best = Math.max(...totals);
  const leaders = data.teams.filter((_, place) => totals[place] === best);
  assert.equal(data.win, leaders.length === 1 ? leaders[0]!.name : '', id);
}

test('players rate a map version once, and better maps get better ratings', () => {
  const votes = ofType(shortHistory().events, 'map.rated');
  const keys = votes.map(({ data }) => `${data.map} ${data.version} ${data.player.uuid}`);
  assert.equal(new Set(keys).size, votes.length);
  const quality = new Map(shortHistory().sample.maps.map((map) => [map.name, map.quality]));
  const mean = (good: boolean): number => {
    const selected = votes.filter(({ data }) => quality.get(data.map)! > 3.8 === good);
    return selected.reduce((sum, { data }) => sum + data.rate, 0) / selected.length;
  };
  assert.ok(mean(true) > mean(false) + 0.2);
});

test('there are about forty punishments of all types, some automatic, changed, revoked or expired', () => {
  const { events } = shortHistory();
  const issued = ofType(events, 'punishment.issued');
  assert.ok(issued.length >= 35 && issued.length <= 40, String(issued.length));
  assert.deepEqual(new Set(issued.map(({ data }) => data.type)), new Set(['ban', 'mute', 'kick', 'warn']));
  assert.ok(issued.some(({ data }) => data.automatic === true && data.punisher === null));
  assert.ok(issued.some(({ data }) => data.expires !== null && Date.parse(data.expires!) < NOW));
  const known = new Set(issued.map(({ data, server }) => `${server} ${data.punishment}`));
  const later = [...ofType(events, 'punishment.changed'), ...ofType(events, 'punishment.revoked')];
  assert.ok(later.length >= 3 && later.every(({ data, server }) => known.has(`${server} ${data.punishment}`)));
});

test('permanently banned players do not play or appear online', () => {
  const { sample, events } = shortHistory();
  const revoked = new Set(ofType(events, 'punishment.revoked').map(({ data }) => data.punishment));
  const bans = ofType(events, 'punishment.issued').filter(
    ({ data }) => data.type === 'ban' && data.expires === null && !revoked.has(data.punishment),
  );
  assert.ok(bans.length > 0);
  for (const { data, time } of bans) {
    const after = ofType(events, 'match.finished').filter((match) => match.data.started > time);
    const players = after.flatMap((match) => match.data.teams.flatMap((team) => team.players));
    assert.ok(!players.some(({ uuid }) => uuid === data.punished.uuid));
    const names = sample
      .presenceAt(NOW + 5 * 60 * MINUTE)
      .flatMap(({ data: seen }) => (seen as { players: string[] }).players);
    assert.ok(!names.includes(data.punished.name));
  }
});

test('every player has logged in, renamed players under both names, and factions members have statistics', () => {
  const { sample, events } = shortHistory();
  const logins = ofType(events, 'player.login');
  assert.equal(new Set(logins.map(({ data }) => data.player.uuid)).size, 600);
  for (const { uuid, name, renamed } of sample.players.filter((player) => player.renamed !== undefined)) {
    const names = logins.filter(({ data }) => data.player.uuid === uuid).map(({ data }) => data.player.name);
    assert.deepEqual(new Set(names), new Set([name, renamed!.name]));
  }
  const members = new Set(ofType(events, 'player.statistics').map(({ data }) => data.player.uuid));
  assert.ok(members.size >= 110 && members.size <= 130, String(members.size));
});
