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
import tc.oc.pgm.teams.Team;

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
  private final List<Objective> objectives = new ArrayList<>();
  private final List<Map<String, Object>> kills = new ArrayList<>();
  private final Instant started = Instant.now();
  private final HiddenPlayers hidden;

  /** @param owner the player after whom the team is named, or null for a team of the map */
  private record Objective(Map<String, Object> data, UUID player, UUID owner) {}

  MatchRecord(HiddenPlayers hidden) {
    this.hidden = hidden;
  }

  void participant(MatchPlayer player, Competitor competitor) {
    competitors.put(player.getId(), competitor);
    names.put(player.getId(), nameOf(player.getId(), player.getNameLegacy()));
  }

  void death(MatchPlayer victim, ParticipantState killer, ParticipantState assister) {
    if (assister != null) {
      assists.computeIfAbsent(assister.getParty(), party -> new HashMap<>()).merge(assister.getId(), 1, Integer::sum);
    }
    if (kills.size() >= MAX_KILLS || !competitors.containsKey(victim.getId())) return;
    UUID by = countsAsKill(victim, killer) ? killer.getId() : null;
    Map<String, Object> kill = new LinkedHashMap<>();
    kill.put("killer", competitors.containsKey(by) ? by : null);
    kill.put("victim", victim.getId());
    Location location = victim.getState().getLocation();
    kill.put("location", Map.of("x", rounded(location.getX()), "y", rounded(location.getY()), "z", rounded(location.getZ())));
    kill.put("time", Instant.now().toString());
    kills.add(kill);
  }

  /** As PGM counts: no kill of oneself or of a team mate, and none of a killer who has left the team. */
  private static boolean countsAsKill(MatchPlayer victim, ParticipantState killer) {
    return killer != null
        && !killer.getId().equals(victim.getId())
        && !killer.getParty().equals(victim.getCompetitor())
        && killer.getParty().getPlayer(killer.getId()) != null;
  }

  /** One objective for each player who had a part in it, as PGM counts them; without players, one without a team. */
  void contributions(String type, Goal<?> goal, Iterable<? extends Contribution> contributions) {
    int before = objectives.size();
    for (Contribution each : contributions) {
      if (each.getPlayerState() != null) objective(type, goal, each.getPlayerState(), each.getPercentage());
    }
    if (objectives.size() == before) add(type, goal, null, null, null);
  }

  /** @param share the player's part from 0 to 1, or null */
  void objective(String type, Goal<?> goal, MatchPlayerState player, Double share) {
    add(type, goal, player, player.getParty(), type.equals("destroyable") ? share : null);
  }

  void control(Goal<?> goal, Competitor competitor) {
    add("control_point", goal, null, competitor, null);
  }

  private void add(String type, Goal<?> goal, MatchPlayerState player, Party party, Double share) {
    if (objectives.size() >= MAX_OBJECTIVES) return;
    UUID uuid = player == null ? null : player.getId();
    Map<String, Object> objective = new LinkedHashMap<>();
    objective.put("player", player == null ? null : Map.of("uuid", uuid, "name", nameOf(uuid, player.getNameLegacy())));
    objective.put("team", party == null ? "" : teamName(party));
    objective.put("type", type);
    objective.put("name", Text.clean(goal.getName(), 128, type));
    objective.put("color", goal.getDyeColor() == null ? "" : goal.getDyeColor().name().toLowerCase(Locale.ROOT));
    if (share != null) objective.put("percent", rounded(share * 100));
    objective.put("time", Instant.now().toString());
    objectives.add(new Objective(objective, uuid, ownerOf(party)));
  }

  int assistsOf(UUID player, Party party) {
    return assists.getOrDefault(party, Map.of()).getOrDefault(player, 0);
  }

  /** In a free for all, where the party of a player is named after him; null for a team and for no party. */
  private UUID ownerOf(Party party) {
    if (party == null || party instanceof Team) return null;
    return competitors.entrySet().stream()
        .filter(each -> each.getValue().equals(party)).map(Map.Entry::getKey).findFirst().orElse(null);
  }

  boolean isHidden(UUID player) {
    return hidden.contains(player);
  }

  /** The data of `match.progress`: scores, kills and deaths, but no counters and no hidden players. */
  Map<String, Object> progress(Match match) {
    List<Map<String, Object>> teams = new MatchTeams(match, this, false).list();
    Map<String, Object> data = facts(match);
    data.put("participants", visibleParticipants(match));
    if (teams.size() <= MAX_TEAMS) data.put("teams", teams);
    data.put("objectives", objectives.stream().map(this::withoutHidden).toList());
    return data;
  }

  long visibleParticipants(Match match) {
    return match.getParticipants().stream().filter(player -> !isHidden(player.getId())).count();
  }

  private Map<String, Object> withoutHidden(Objective objective) {
    Map<String, Object> data = new LinkedHashMap<>(objective.data());
    if (isHidden(objective.player())) data.put("player", null);
    if (isHidden(objective.owner())) data.put("team", "");
    return data;
  }

  private Map<String, Object> facts(Match match) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("map", mapName(match));
    data.put("gamemode", Gamemodes.of(match.getMap()));
    data.put("started", started.toString());
    return data;
  }

  /**
   * The data of `match.finished`.
   *
   * @param winners those with the best rank in PGM, which never is empty while a competitor is left: several have tied
   */
  Map<String, Object> finished(Match match, Collection<Competitor> winners) {
    MatchTeams teams = new MatchTeams(match, this, true);
    Map<String, Object> data = facts(match);
    data.put("winners", winners.size() == 1 ? teams.winners(winners) : List.of());
    data.put("finished", Instant.now().toString());
    data.put("teams", teams.list());
    data.put("objectives", objectives.stream().map(Objective::data).toList());
    kills.removeIf(kill -> !teams.hasPlayer(kill.get("victim")));
    kills.forEach(kill -> kill.computeIfPresent("killer", (key, killer) -> teams.hasPlayer(killer) ? killer : null));
    data.put("kills", kills);
    return data;
  }

  static String mapName(Match match) {
    return Text.clean(match.getMap().getName(), 128, "?");
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
