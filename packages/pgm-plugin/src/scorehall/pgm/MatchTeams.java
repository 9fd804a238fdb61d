package scorehall.pgm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import tc.oc.pgm.api.match.Match;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.score.ScoreMatchModule;
import tc.oc.pgm.stats.PlayerStats;
import tc.oc.pgm.stats.StatsMatchModule;
import tc.oc.pgm.teams.Team;

/** The teams of a match with their players, as PGM's statistics and score modules count. */
final class MatchTeams {
  private final MatchRecord record;
  private final StatsMatchModule stats;
  private final ScoreMatchModule scores;
  private final boolean isFinished;
  private final Map<Competitor, String> names = new LinkedHashMap<>();
  private final List<Map<String, Object>> teams = new ArrayList<>();
  private final Set<UUID> players = new HashSet<>();

  /** @param isFinished whether all players are listed with all their counts, or visible ones with score, kills and deaths */
  MatchTeams(Match match, MatchRecord record, boolean isFinished) {
    this.record = record;
    this.isFinished = isFinished;
    stats = match.getModule(StatsMatchModule.class);
    scores = match.getModule(ScoreMatchModule.class);
    Map<Team, Map<UUID, PlayerStats>> byTeam = stats.getParticipationStats().rowMap();
    Map<UUID, PlayerStats> all = stats.getStats();
    for (Competitor competitor : match.getCompetitors()) {
      if (competitor instanceof Team team) add(team, byTeam.getOrDefault(team, Map.of()));
    }
    // Free for all: each player is a competitor, and is no longer in the match once he left.
    record.competitors.forEach((player, competitor) -> {
      if (!(competitor instanceof Team) && all.containsKey(player) && isListed(player)) add(competitor, Map.of(player, all.get(player)));
    });
  }

  List<Map<String, Object>> list() {
    return teams;
  }

  List<String> winners(Collection<Competitor> winners) {
    return winners.stream().filter(names::containsKey).map(names::get).toList();
  }

  boolean hasPlayer(Object uuid) {
    return players.contains(uuid);
  }

  /** A finished match keeps what happened. */
  private boolean isListed(UUID player) {
    return isFinished || !record.isHidden(player);
  }

  private void add(Competitor competitor, Map<UUID, PlayerStats> members) {
    String name = MatchRecord.teamName(competitor);
    String unique = name;
    for (int number = 2; names.containsValue(unique); number++) unique = name + " " + number;
    names.put(competitor, unique);
    Map<String, Object> team = new LinkedHashMap<>();
    team.put("name", unique);
    if (scores != null) team.put("score", Math.round(scores.getScores().getOrDefault(competitor, 0.0)));
    team.put("color", String.format("#%06X", competitor.getFullColor().asRGB() & 0xffffff));
    team.put("players", members.entrySet().stream()
        .filter(member -> record.names.containsKey(member.getKey()) && isListed(member.getKey()))
        .map(member -> player(member.getKey(), competitor, member.getValue()))
        .toList());
    teams.add(team);
  }

  private Map<String, Object> player(UUID uuid, Competitor competitor, PlayerStats his) {
    boolean primary = !(competitor instanceof Team) || competitor.equals(stats.getPrimaryTeam(uuid, false));
    Map<String, Object> player = new LinkedHashMap<>();
    players.add(uuid);
    player.put("uuid", uuid);
    player.put("name", record.names.get(uuid));
    player.put("primary", primary);
    if (scores != null && primary) player.put("score", Math.round(scores.getContribution(uuid)));
    player.put("kill_count", his.getKills());
    player.put("death_count", his.getDeaths());
    if (!isFinished) return player;
    player.put("shot_count", his.getShotsTaken());
    player.put("hit_count", his.getShotsHit());
    player.put("time_played", his.getTimePlayed().toSeconds());
    player.put("counters", counters(his, record.assistsOf(uuid, competitor)));
    return player;
  }

  /** The counters that `scorehall counter presets` declares: damage in half hearts, distances in blocks, times in seconds. */
  private static Map<String, Object> counters(PlayerStats his, int assists) {
    Map<String, Object> counters = new LinkedHashMap<>();
    counters.put("assists", (long) assists);
    counters.put("best_streak", (long) his.getMaxKillstreak());
    counters.put("wools", (long) his.getWoolsCaptured());
    counters.put("wools_touched", (long) his.getWoolsTouched());
    counters.put("cores", (long) his.getCoresLeaked());
    counters.put("monuments", (long) his.getMonumentsDestroyed());
    counters.put("monument_pieces", (long) his.getDestroyablePiecesBroken());
    counters.put("flags", (long) his.getFlagsCaptured());
    counters.put("flags_picked", (long) his.getFlagPickups());
    counters.put("longest_flag_hold", his.getLongestFlagHold().toSeconds());
    counters.put("damage_dealt", Math.round(his.getDamageDone()));
    counters.put("damage_received", Math.round(his.getDamageTaken()));
    counters.put("damage_dealt_bow", Math.round(his.getBowDamage()));
    counters.put("damage_received_bow", Math.round(his.getBowDamageTaken()));
    counters.put("longest_bow_kill", (long) his.getLongestBowKill());
    counters.values().removeIf(count -> count.equals(0L));
    return counters;
  }
}
