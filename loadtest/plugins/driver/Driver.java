import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.bukkit.command.Command;
import org.bukkit.entity.Player;
import org.bukkit.event.player.AsyncPlayerPreLoginEvent;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.metadata.FixedMetadataValue;
import org.bukkit.plugin.Plugin;
import scorehall.bukkit.ScorehallBukkit;
import scorehall.outbox.Json;
import scorehall.outbox.Outbox;
import scorehall.pgm.ScorehallPgm;
import tc.oc.pgm.api.match.event.MatchLoadEvent;
import tc.oc.pgm.api.match.event.MatchStartEvent;
import tc.oc.pgm.api.match.event.MatchUnloadEvent;
import tc.oc.pgm.api.party.Competitor;
import tc.oc.pgm.api.player.MatchPlayer;
import tc.oc.pgm.api.player.ParticipantState;
import tc.oc.pgm.controlpoint.events.ControllerChangeEvent;
import tc.oc.pgm.core.CoreLeakEvent;
import tc.oc.pgm.destroyable.DestroyableContribution;
import tc.oc.pgm.destroyable.DestroyableDestroyedEvent;
import tc.oc.pgm.events.PlayerParticipationStartEvent;
import tc.oc.pgm.flag.event.FlagCaptureEvent;
import tc.oc.pgm.goals.Contribution;
import tc.oc.pgm.stats.PlayerStats;
import tc.oc.pgm.teams.Team;
import tc.oc.pgm.wool.PlayerWoolPlaceEvent;

/**
 * Drives the plugins.
 *
 *   Driver play FOLDER             plays matches and sessions; the plugins write into FOLDER/plugins
 *   Driver read FOLDER URL KEY     asks the service, and prints one JSON object
 *   Driver faults FOLDER           breaks the files of the plugins, and prints one JSON object
 *   Driver sign-in FOLDER URL      sends wrong requests to the sign-in, and prints one JSON object
 *   Driver placeholders FOLDER URL KEY   answers the commands of the standard input
 *   Driver velocity FOLDER SETTING ...   the same, with the settings of the plugin for Velocity
 *   Driver rented FOLDER SETTING ...     plays with plugins that send their events
 *   Driver sender FOLDER URL KEY   the same, with an outbox that sends its events
 */
public final class Driver {
  private static final UUID SALTMARTEN = uuid(1);
  private static final UUID WADER = uuid(2);
  private static final UUID DUCK = uuid(3);
  private static final UUID CANCELLED = uuid(4);
  private static final UUID VANISHING = uuid(15);
  private static final String HOSTILE_NAME = "Wa\"d\\er\n\u0007";
  private static final String SURROGATES = "\ud83e\udd86Duck\ud800";

  private Driver() {}

  public static void main(String[] arguments) throws Exception {
    File plugins = new File(arguments[1], "plugins");
    if (arguments[0].equals("play")) {
      playSessions(plugins, Map.of());
      World world = new World();
      ScorehallPgm plugin = world.enable(new ScorehallPgm(), new File(plugins, "ScorehallPGM"), Map.of());
      playTeams(world);
      playFreeForAll(world);
      new Endings(world).play();
      playOn(world);
      plugin.onDisable();
      rotate(plugins);
    } else if (arguments[0].equals("faults")) {
      System.out.println(Json.write(new OutboxFaults(new File(arguments[1])).all()));
    } else if (arguments[0].equals("sign-in")) {
      System.out.println(Json.write(SignInErrors.all(arguments[2])));
    } else if (arguments[0].equals("placeholders")) {
      Placeholders server = new Placeholders(new File(plugins, "Scorehall"), arguments[2], arguments[3]);
      server.serve();
      server.close();
    } else if (arguments[0].equals("velocity")) {
      String settings = String.join("\n", List.of(arguments).subList(2, arguments.length));
      new VelocityNetwork(new File(plugins, "scorehall").toPath(), settings).serve();
    } else if (arguments[0].equals("rented")) {
      playRented(plugins, settingsOf(List.of(arguments).subList(2, arguments.length)));
    } else if (arguments[0].equals("sender")) {
      new Senders(new File(plugins, "Scorehall"), arguments[2], arguments[3]).serve();
    } else {
      System.out.println(Json.write(read(plugins, arguments[2], arguments[3])));
    }
  }

  static UUID uuid(int number) {
    return new UUID(0x7f0c6a4e_52b1_4c2fL, 0x9b7d_000000000000L | number);
  }

  private static void playTeams(World world) {
    PgmMatch match = new PgmMatch(world, "Old \u00a7cMill \"2\"\n\ud83e\udd86");
    Team red = new PgmTeam(match, "Red", 0xff5555);
    Team blue = new PgmTeam(match, "Blue \"B\"\n\u00a7cTeam\u202e", 0x0000ff);
    Team spare = new PgmTeam(match, "Red", 0x00000a);
    MatchPlayer saltmarten = match.player(SALTMARTEN, "Saltmarten", red);
    MatchPlayer wader = match.player(WADER, HOSTILE_NAME, blue);
    MatchPlayer duck = match.player(DUCK, SURROGATES, red);
    match.members.put(red, List.of(saltmarten, duck));
    match.members.put(blue, List.of(wader));
    match.members.put(spare, List.of());
    world.dispatch(new MatchStartEvent(match));
    ParticipantState redDuck = match.state(DUCK, SURROGATES, red);
    ParticipantState killer = match.state(SALTMARTEN, "Saltmarten", red);
    world.dispatch(Endings.death(wader, killer, redDuck));
    world.dispatch(new PlayerParticipationStartEvent(duck, blue, null));
    PlayerParticipationStartEvent cancelled =
        new PlayerParticipationStartEvent(match.player(CANCELLED, "Cancelled", blue), blue, null);
    cancelled.setCancelled(true);
    world.dispatch(cancelled);
    world.dispatch(Endings.death(saltmarten, null, null));
    world.dispatch(Endings.death(duck, match.state(DUCK, SURROGATES, blue), null));
    objectives(world, match, killer, match.state(DUCK, SURROGATES, blue), match.player(DUCK, SURROGATES, blue), blue);
    match.stats.put(red, Map.of(
        SALTMARTEN, PgmMatch.stats(Map.of("Kills", 9, "Deaths", 4, "MaxKillstreak", 5, "WoolsCaptured", 1,
            "WoolsTouched", 2, "CoresLeaked", 1, "DamageDone", 20.6, "ShotsTaken", 7, "ShotsHit", 3, "TimePlayed", 9_000)),
        DUCK, PgmMatch.stats(Map.of("Kills", 2, "TimePlayed", 4_000))));
    match.stats.put(blue, Map.of(
        WADER, PgmMatch.stats(Map.of("Kills", 1, "Deaths", 9, "LongestBowKill", 41, "TimePlayed", 9_000)),
        DUCK, PgmMatch.stats(Map.of("Kills", 3, "Deaths", 1, "MonumentsDestroyed", 1, "FlagsCaptured", 1,
            "LongestFlagHold", 12_400, "TimePlayed", 5_000))));
    match.primary.putAll(Map.of(SALTMARTEN, red, WADER, blue, DUCK, blue));
    match.scores.putAll(Map.of(red, 12.5, blue, 3.0));
    world.dispatch(match.finish());
    world.dispatch(new MatchUnloadEvent(match));
  }

  private static void objectives(
      World world, PgmMatch match, ParticipantState salt, ParticipantState duck, MatchPlayer carrier, Team blue) {
    world.dispatch(new PlayerWoolPlaceEvent(salt, Goals.wool("Blue \"Wool\""), null));
    world.dispatch(new CoreLeakEvent(match, Goals.core("Core", List.of(new Contribution(salt, 0.5), new Contribution(duck, 0.5))), null));
    world.dispatch(new CoreLeakEvent(match, Goals.core("Lonely", List.of()), null));
    world.dispatch(new DestroyableDestroyedEvent(
        match, Goals.monument("Monument", List.of(new DestroyableContribution(duck, 1 / 3.0, 3)))));
    world.dispatch(new FlagCaptureEvent(Goals.flag("Flag"), carrier, null));
    world.dispatch(new ControllerChangeEvent(match, Goals.hill("Hill"), null, blue));
    world.dispatch(new ControllerChangeEvent(match, Goals.hill("Hill"), blue, null));
  }

  /** Each player is a competitor; one leaves before the end, and comes back, which ties the match. */
  private static void playFreeForAll(World world) {
    PgmMatch match = new PgmMatch(world, "Free");
    match.tribute(SALTMARTEN, "Saltmarten");
    Competitor wader = match.tribute(WADER, "Wader");
    world.dispatch(new MatchStartEvent(match));
    List<MatchPlayer> waders = match.members.remove(wader);
    match.stats.put(null, Map.of(SALTMARTEN, PgmMatch.stats(Map.of("Kills", 1)), WADER, PgmMatch.stats(Map.of("Deaths", 1))));
    world.timers.forEach(Runnable::run);
    match.members.put(wader, waders);
    world.dispatch(match.finish());
  }

  /** A match that still runs: the last of its reports is the one that counts. */
  private static void playOn(World world) throws InterruptedException {
    // Times are compared in milliseconds, and the match before must not end in that of this one.
    Thread.sleep(20);
    PgmMatch match = new PgmMatch(world, "Running");
    Team red = new PgmTeam(match, "Red", 0xff5555);
    ParticipantState salt = match.state(SALTMARTEN, "Saltmarten", red);
    MatchPlayer saltmarten = match.player(SALTMARTEN, "Saltmarten", red);
    MatchPlayer nicked = match.player(Endings.NICKED, "Nicked", red);
    MatchPlayer leaving = match.player(VANISHING, "Vanishing", red);
    match.members.put(red, List.of(saltmarten, nicked, leaving));
    world.online.addAll(List.of(saltmarten.getBukkit(), nicked.getBukkit(), leaving.getBukkit()));
    world.dispatch(new MatchLoadEvent(match));
    world.online.forEach(player -> world.dispatch(new PlayerJoinEvent(player, "")));
    world.dispatch(new MatchStartEvent(match));
    match.primary.putAll(Map.of(SALTMARTEN, red, Endings.NICKED, red, VANISHING, red));
    for (int score = 1; score <= 3; score++) {
      Thread.sleep(20);
      match.scores.put(red, (double) score);
      PlayerStats kills = PgmMatch.stats(Map.of("Kills", score, "MaxKillstreak", 2));
      match.stats.put(red, Map.of(SALTMARTEN, kills, Endings.NICKED, kills, VANISHING, kills));
      world.dispatch(new PlayerWoolPlaceEvent(salt, Goals.wool("Wool " + score), null));
      // Later reports must not name him, the first one does.
      if (score == 2) Endings.VANISHED.add(VANISHING);
      world.timers.forEach(Runnable::run);
    }
  }

  private static void playSessions(File plugins, Map<String, Object> settings) {
    World world = new World();
    Player early = world.player(SALTMARTEN, "Saltmarten");
    world.online.add(early);
    ScorehallBukkit plugin = world.enable(new ScorehallBukkit(), new File(plugins, "Scorehall"), settings);
    Player wader = world.player(WADER, HOSTILE_NAME);
    world.dispatch(new PlayerJoinEvent(wader, ""));
    plugin.onCommand(wader, command("link"), "link", new String[] {"abcd", "efgh"});
    world.dispatch(new PlayerQuitEvent(wader, ""));
    vanish(world, plugin);
    plugin.onDisable();
  }

  /** By the metadata that vanish plugins set: one player is vanished at the join, the other one for a while. */
  private static void vanish(World world, Plugin plugin) {
    Player ghost = world.player(uuid(16), "Ghost");
    Player shade = world.player(uuid(17), "Shade");
    ghost.setMetadata("vanished", new FixedMetadataValue(plugin, true));
    for (Player player : List.of(ghost, shade)) {
      world.online.add(player);
      world.dispatch(new PlayerJoinEvent(player, ""));
    }
    shade.setMetadata("vanished", new FixedMetadataValue(plugin, true));
    world.timers.forEach(Runnable::run);
    shade.setMetadata("vanished", new FixedMetadataValue(plugin, false));
    world.timers.forEach(Runnable::run);
    world.online.removeAll(List.of(ghost, shade));
    world.dispatch(new PlayerQuitEvent(ghost, ""));
    world.dispatch(new PlayerQuitEvent(shade, ""));
  }

  private static Map<String, Object> settingsOf(List<String> arguments) {
    Map<String, Object> settings = new HashMap<>();
    for (String argument : arguments) {
      String[] pair = argument.split("=", 2);
      settings.put(pair[0], pair[1].matches("true|false") ? Boolean.valueOf(pair[1]) : pair[1]);
    }
    return settings;
  }

  private static void playRented(File plugins, Map<String, Object> settings) {
    playSessions(plugins, settings);
    World world = new World();
    ScorehallPgm plugin = world.enable(new ScorehallPgm(), new File(plugins, "ScorehallPGM"), settings);
    playTeams(world);
    world.timers.forEach(Runnable::run);
    plugin.onDisable();
  }

  private static void rotate(File plugins) throws IOException {
    try (Outbox outbox = new Outbox(new File(plugins, "ScorehallRotation").toPath(), 2_000, System.err::println)) {
      for (int number = 0; number < 50; number++) {
        outbox.append("player.named", Map.of("player", Map.of("uuid", uuid(100 + number), "name", "Named" + number)));
      }
    }
  }

  private static Map<String, Object> read(File plugins, String url, String key) throws Exception {
    World world = new World();
    File folder = new File(plugins, "Scorehall");
    ScorehallBukkit plugin = world.enable(new ScorehallBukkit(), folder, Map.of("api-url", url, "key", key));
    plugin.onCommand(world.player(SALTMARTEN, "Saltmarten"), command("stats"), "stats", new String[0]);
    String stats = world.messages.poll(5, TimeUnit.SECONDS);
    plugin.onCommand(world.player(SALTMARTEN, "Saltmarten"), command("stats"), "stats", new String[0]);
    String again = world.messages.poll(5, TimeUnit.SECONDS);
    plugin.onCommand(world.player(DUCK, "Duck"), command("stats"), "stats", new String[] {"No such/player?"});
    String unknown = world.messages.poll(5, TimeUnit.SECONDS);
    String banned = joins(world, WADER);
    String free = joins(world, SALTMARTEN);
    plugin.onDisable();
    World alone = new World();
    alone.enable(new ScorehallBukkit(), folder, Map.of("api-url", "http://127.0.0.1:1", "key", key)).onDisable();
    return Map.of("stats", stats, "again", again, "unknown", unknown, "banned", banned, "free", free, "away", joins(alone, WADER));
  }

  static String joins(World world, UUID player) {
    AsyncPlayerPreLoginEvent event = new AsyncPlayerPreLoginEvent("Somebody", InetAddress.getLoopbackAddress(), player);
    world.dispatch(event);
    return event.getLoginResult() + " " + event.getKickMessage();
  }

  private static Command command(String name) {
    return new Command(name) {};
  }
}
