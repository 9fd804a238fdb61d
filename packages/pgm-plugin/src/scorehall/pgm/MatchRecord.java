package scorehall.pgm;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.bukkit.Location;
import scorehall.outbox.Text;
import tc.oc.pgm.api.match.Match;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.party.Party;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.api.player.MatchPlayerState;
import tc.oc.pgm.api.player.ParticipantState;
import tc.oc.pgm.goals.Contribution;
import tc.oc.pgm.goals.Goal;

/** The events of one match that PGM does not keep until its end. */
final class MatchRecord {
  /** Maximum listed kills, because an event may have 1 MiB; further kills are counted by PGM. */
  private static final int MAX_KILLS = 3_000;
  private static final int MAX_OBJECTIVES = 1_000;
  private static final int MAX_TEAMS = 100;
  static final int MAX_NAME = 64;

  /** Everyone who took part, with the last competitor of each. */
  final Map<UUID, Competitor> competitors = new LinkedHashMap<>();
  final Map<UUID, String> names = new HashMap<>();
  private final Map<Party, Map<UUID, Integer>> assists = new HashMap<>();
  private final List<Map<String, Object>> objectives = new ArrayList<>();
  private final List<Map<String, Object>> kills = new ArrayList<>();
  private final Instant started = Instant.now();

  void participant(MatchPlayer player, Competitor competitor) {
    competitors.put(player.getId(), competitor);
    names.put(player.getId(), nameOf(player.getId(), player.getNameLegacy()));
  }

  void death(MatchPlayer victim, ParticipantState killer, ParticipantState assister) {
    if (assister != null) {
      assists.computeIfAbsent(assister.getParty(), party -> new HashMap<>()).merge(assister.getId(), 1, Integer::sum);
    }
    if (kills.size() >= MAX_KILLS || !competitors.containsKey(victim.getId())) return;
    UUID by = killer == null || killer.getId().equals(victim.getId()) ? null : killer.getId();
    Map<String, Object> kill = new LinkedHashMap<>();
    kill.put("killer", competitors.containsKey(by) ? by : null);
    kill.put("victim", victim.getId());
    Location location = victim.getState().getLocation();
    kill.put("location", Map.of("x", rounded(location.getX()), "y", rounded(location.getY()), "z", rounded(location.getZ())));
    kill.put("time", Instant.now().toString());
    kills.add(kill);
  }

  /** One objective for each player who had a part in it, as PGM counts them; without players, one without a team. */
  void contributions(String type, Goal<?> goal, Iterable<? extends Contribution> contributions) {
    int before = objectives.size();
    for (Contribution each : contributions) {
      if (each.getPlayerState() != null) objective(type, goal, each.getPlayerState(), each.getPercentage());
    }
    if (objectives.size() == before) add(type, goal, null, "", null);
  }

  /** @param share the player's part from 0 to 1, or null */
  void objective(String type, Goal<?> goal, MatchPlayerState player, Double share) {
    String name = nameOf(player.getId(), player.getNameLegacy());
    Map<String, Object> by = Map.of("uuid", player.getId(), "name", name);
    add(type, goal, by, teamName(player.getParty()), type.equals("destroyable") ? share : null);
  }

  void control(Goal<?> goal, Competitor competitor) {
    add("control_point", goal, null, teamName(competitor), null);
  }

  private void add(String type, Goal<?> goal, Map<String, Object> player, String team, Double share) {
    if (objectives.size() >= MAX_OBJECTIVES) return;
    Map<String, Object> objective = new LinkedHashMap<>();
    objective.put("player", player);
    objective.put("team", team);
    objective.put("type", type);
    objective.put("name", Text.clean(goal.getName(), 128, type));
    objective.put("color", goal.getDyeColor() == null ? "" : goal.getDyeColor().name().toLowerCase(Locale.ROOT));
    if (share != null) objective.put("percent", rounded(share * 100));
    objective.put("time", Instant.now().toString());
    objectives.add(objective);
  }

  int assistsOf(UUID player, Party party) {
    return assists.getOrDefault(party, Map.of()).getOrDefault(player, 0);
  }

  /** The data of `match.progress`: scores, kills and deaths, but no counters. */
  Map<String, Object> progress(Match match) {
    List<Map<String, Object>> teams = new MatchTeams(match, this, false).list();
    Map<String, Object> data = facts(match);
    data.put("participants", match.getParticipants().size());
    if (teams.size() <= MAX_TEAMS) data.put("teams", teams);
    data.put("objectives", List.copyOf(objectives));
    return data;
  }

  private Map<String, Object> facts(Match match) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("map", Text.clean(match.getMap().getName(), 128, "?"));
    data.put("gamemode", Gamemodes.of(match.getMap()));
    data.put("started", started.toString());
    return data;
  }

  /** The data of `match.finished`. */
  Map<String, Object> finished(Match match, Collection<Competitor> winners) {
    MatchTeams teams = new MatchTeams(match, this, true);
    Map<String, Object> data = facts(match);
    data.put("winners", teams.winners(winners));
    data.put("finished", Instant.now().toString());
    data.put("teams", teams.list());
    data.put("objectives", objectives);
    kills.removeIf(kill -> !teams.hasPlayer(kill.get("victim")));
    kills.forEach(kill -> kill.computeIfPresent("killer", (key, killer) -> teams.hasPlayer(killer) ? killer : null));
    data.put("kills", kills);
    return data;
  }

  static String teamName(Party party) {
    return Text.clean(party.getNameLegacy(), 128, "?");
  }

  private static String nameOf(UUID player, String name) {
    return Text.clean(name, MAX_NAME, player.toString());
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }
}
