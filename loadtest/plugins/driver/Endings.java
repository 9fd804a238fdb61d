import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.bukkit.entity.Player;
import tc.oc.pgm.api.integration.Integration;
import tc.oc.pgm.api.integration.VanishIntegration;
import tc.oc.pgm.api.match.event.MatchFinishEvent;
import tc.oc.pgm.api.match.event.MatchStartEvent;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.api.player.ParticipantState;
import tc.oc.pgm.api.player.event.MatchPlayerDeathEvent;
import tc.oc.pgm.api.tracker.info.DamageInfo;
import tc.oc.pgm.stats.PlayerStats;
import tc.oc.pgm.teams.Team;
import tc.oc.pgm.wool.PlayerWoolPlaceEvent;

/** Matches that end in each way in which PGM ends one; the name of the map says how. */
final class Endings {
  static final UUID NICKED = Driver.uuid(14);
  static final Set<UUID> VANISHED = new HashSet<>();
  private static final UUID ADA = Driver.uuid(11);
  private static final UUID BEA = Driver.uuid(12);
  private static final UUID CID = Driver.uuid(13);

  private final World world;

  Endings(World world) {
    this.world = world;
    Integration.setNickIntegration(player -> player.getUniqueId().equals(NICKED) ? "Somebody" : null);
    Integration.setVanishIntegration(new VanishIntegration() {
      @Override
      public boolean isVanished(UUID uuid) {
        return VANISHED.contains(uuid);
      }

      @Override
      public boolean setVanished(MatchPlayer player, boolean vanish, boolean quiet) {
        throw new UnsupportedOperationException();
      }
    });
  }

  static MatchPlayerDeathEvent death(MatchPlayer victim, ParticipantState killer, ParticipantState assister) {
    DamageInfo damage = World.fake(DamageInfo.class, (method, arguments) -> killer);
    return new MatchPlayerDeathEvent(null, victim, damage, false, assister);
  }

  void play() {
    Teams zero = new Teams("Time limit at 0:0", 2);
    zero.scores(0, 0);
    world.dispatch(zero.match.finish());
    // Of the map's objectives none is complete, and there is no score.
    world.dispatch(new Teams("/finish", 2).match.finish());
    Teams forRed = new Teams("/finish red", 2);
    world.dispatch(new MatchFinishEvent(forRed.match, List.of(forRed.red())));
    Teams leading = new Teams("Emptied at 5:3", 2);
    leading.scores(5, 3);
    leading.empty();
    world.dispatch(leading.match.finish());
    Teams empty = new Teams("Emptied at 0:0", 2);
    empty.scores(0, 0);
    empty.empty();
    world.dispatch(empty.match.finish());
    Teams three = new Teams("Tied at 4:4:1", 3);
    three.scores(4, 4, 1);
    world.dispatch(three.match.finish());
    friendlyFire();
    emptyFreeForAll();
  }

  /** PGM counts no kill of a team mate, and none of a killer who has left the team before his arrow hits. */
  private void friendlyFire() {
    Teams teams = new Teams("Friendly fire", 3);
    MatchPlayer ada = teams.match.members.get(teams.red()).get(0);
    MatchPlayer bea = teams.match.members.get(teams.all.get(1)).get(0);
    MatchPlayer cid = teams.match.player(CID, "Cid", teams.red());
    teams.match.members.put(teams.red(), List.of(ada, cid));
    world.dispatch(death(ada, teams.match.state(CID, "Cid", teams.red()), null));
    world.dispatch(death(ada, teams.match.state(BEA, "Bea", teams.all.get(1)), null));
    teams.match.members.put(teams.all.get(1), List.of());
    world.dispatch(death(ada, teams.match.state(BEA, "Bea", teams.all.get(1)), null));
    teams.match.members.put(teams.all.get(1), List.of(bea));
    world.dispatch(teams.match.finish());
  }

  /** The player who leaves last is a competitor until the event. Of the others one has a nick, and so had his team. */
  private void emptyFreeForAll() {
    PgmMatch match = new PgmMatch(world, "Emptied free for all");
    Competitor ada = match.tribute(ADA, "Ada");
    Competitor bea = match.tribute(BEA, "Bea");
    Competitor nicked = match.tribute(NICKED, "Nicked");
    List<Player> players = match.getParticipants().stream().map(MatchPlayer::getBukkit).toList();
    world.online.addAll(players);
    world.timers.forEach(Runnable::run);
    world.dispatch(new MatchStartEvent(match));
    PlayerStats none = PgmMatch.stats(Map.of());
    match.stats.put(null, Map.of(ADA, none, BEA, none, NICKED, none));
    world.dispatch(new PlayerWoolPlaceEvent(match.state(NICKED, "Nicked", nicked), Goals.wool("Theirs"), null));
    world.timers.forEach(Runnable::run);
    match.members.remove(nicked);
    match.members.remove(bea);
    world.online.removeAll(players);
    world.timers.forEach(Runnable::run);
    world.dispatch(match.finish());
  }

  /** A running match of two or three teams with one player each. */
  private final class Teams {
    private static final List<String> NAMES = List.of("Red", "Blue", "Green");
    private static final List<String> PLAYERS = List.of("Ada", "Bea", "Cid");
    private static final List<UUID> UUIDS = List.of(ADA, BEA, CID);

    final PgmMatch match;
    final List<Team> all;

    Teams(String map, int count) {
      match = new PgmMatch(world, map);
      all = NAMES.subList(0, count).stream().map(name -> (Team) new PgmTeam(match, name, 0)).toList();
      for (int number = 0; number < count; number++) {
        Team team = all.get(number);
        match.members.put(team, List.of(match.player(UUIDS.get(number), PLAYERS.get(number), team)));
        match.stats.put(team, Map.of(UUIDS.get(number), PgmMatch.stats(Map.of("TimePlayed", 1_000))));
        match.primary.put(UUIDS.get(number), team);
      }
      world.dispatch(new MatchStartEvent(match));
    }

    Team red() {
      return all.get(0);
    }

    void scores(double... scores) {
      for (int number = 0; number < scores.length; number++) match.scores.put(all.get(number), scores[number]);
    }

    void empty() {
      all.forEach(team -> match.members.put(team, List.of()));
    }
  }
}
