import com.google.common.collect.Table;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bukkit.Location;
import org.bukkit.entity.Player;
import tc.oc.pgm.api.map.Gamemode;
import tc.oc.pgm.api.map.MapInfo;
import tc.oc.pgm.api.map.MapTag;
import tc.oc.pgm.api.match.Match;
import tc.oc.pgm.api.match.MatchModule;
import tc.oc.pgm.api.match.event.MatchFinishEvent;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.api.player.ParticipantState;
import tc.oc.pgm.score.ScoreMatchModule;
import tc.oc.pgm.stats.PlayerStats;
import tc.oc.pgm.stats.StatsMatchModule;
import tc.oc.pgm.teams.Team;

/** A match of PGM with the statistics that the driver sets. */
final class PgmMatch implements Match {
  final Map<Competitor, List<MatchPlayer>> members = new LinkedHashMap<>();
  final Map<Team, Map<UUID, PlayerStats>> stats = new LinkedHashMap<>();
  final Map<UUID, Team> primary = new HashMap<>();
  final Map<Competitor, Double> scores = new HashMap<>();
  private final World world;
  private final String map;

  PgmMatch(World world, String map) {
    this.world = world;
    this.map = map;
  }

  /**
   * `MatchImpl` of PGM fires the competitors of the best rank. Without a victory condition that tells them apart, which
   * here is the score, all are of one rank.
   */
  MatchFinishEvent finish() {
    double best = members.keySet().stream().mapToDouble(each -> scores.getOrDefault(each, 0.0)).max().orElse(0);
    return new MatchFinishEvent(
        this, members.keySet().stream().filter(each -> scores.getOrDefault(each, 0.0) == best).toList());
  }

  MatchPlayer member(Competitor competitor, UUID player) {
    return members.getOrDefault(competitor, List.of()).stream()
        .filter(each -> each.getId().equals(player)).findFirst().orElse(null);
  }

  Competitor tribute(UUID uuid, String name) {
    Competitor[] tribute = new Competitor[1];
    tribute[0] = World.fake(Competitor.class, (method, arguments) -> switch (method.getName()) {
      case "getFullColor" -> org.bukkit.Color.fromRGB(0xffaa00);
      case "getPlayer" -> member(tribute[0], (UUID) arguments[0]);
      case "getNameLegacy" -> name;
      default -> throw new UnsupportedOperationException(method.getName());
    });
    members.put(tribute[0], List.of(player(uuid, name, tribute[0])));
    return tribute[0];
  }

  @Override
  public MapInfo getMap() {
    return World.fake(MapInfo.class, (method, arguments) -> switch (method.getName()) {
      case "getName" -> map;
      case "getGamemodes" -> List.of(Gamemode.RACE_FOR_WOOL);
      case "getTags" -> List.of(new MapTag("wool", Gamemode.CAPTURE_THE_WOOL, false), new MapTag("terrain", null, true));
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }

  @Override
  public Collection<MatchPlayer> getParticipants() {
    return members.values().stream().flatMap(List::stream).toList();
  }

  @Override
  public Collection<Competitor> getCompetitors() {
    return members.keySet();
  }

  @Override
  public <N extends MatchModule> N getModule(Class<? extends N> key) {
    return key.cast(key == StatsMatchModule.class ? new Stats() : key == ScoreMatchModule.class ? new Scores() : null);
  }

  MatchPlayer player(UUID uuid, String name, Competitor competitor) {
    Player bukkit = world.player(uuid, name);
    return World.fake(MatchPlayer.class, (method, arguments) -> switch (method.getName()) {
      case "getMatch" -> this;
      case "getCompetitor" -> competitor;
      case "getId" -> uuid;
      case "getNameLegacy" -> name;
      case "getState" -> state(uuid, name, competitor);
      case "getBukkit" -> bukkit;
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }

  ParticipantState state(UUID uuid, String name, Competitor competitor) {
    return World.fake(ParticipantState.class, (method, arguments) -> switch (method.getName()) {
      case "getMatch" -> this;
      case "getParty" -> competitor;
      case "getId" -> uuid;
      case "getNameLegacy" -> name;
      case "getLocation" -> new Location(null, 1.239, 64, -7.5);
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }

  /** The statistics of a player; names are those of PlayerStats without "get", and what is missing is 0. */
  static PlayerStats stats(Map<String, Number> counts) {
    return new CountedStats(counts);
  }

  private final class Stats extends StatsMatchModule {
    @Override
    public Map<UUID, PlayerStats> getStats() {
      Map<UUID, PlayerStats> all = new HashMap<>();
      stats.values().forEach(all::putAll);
      return all;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Table<Team, UUID, PlayerStats> getParticipationStats() {
      return (Table<Team, UUID, PlayerStats>) Proxy.newProxyInstance(
          Table.class.getClassLoader(), new Class<?>[] {Table.class}, (self, method, arguments) -> stats);
    }

    @Override
    public Team getPrimaryTeam(UUID uuid, boolean includeObservers) {
      return primary.get(uuid);
    }
  }

  private final class Scores extends ScoreMatchModule {
    @Override
    public Map<Competitor, Double> getScores() {
      return scores;
    }

    @Override
    public double getContribution(UUID player) {
      return 2.6;
    }
  }
}
