import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import me.clip.placeholderapi.expansion.PlaceholderExpansion;
import org.bukkit.OfflinePlayer;
import org.bukkit.entity.Player;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import scorehall.bukkit.ScorehallBukkit;

/** A server with PlaceholderAPI. */
final class Placeholders extends Commands {
  private static final long PATIENCE_MS = 20_000;

  private final World world = new World();
  private final ScorehallBukkit plugin;

  Placeholders(File folder, String url, String key) {
    Logger logger = Logger.getLogger("plugin");
    logger.setUseParentHandlers(false);
    logger.addHandler(new Handler() {
      @Override
      public void publish(LogRecord record) {
        warnings.add(record.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    });
    world.plugins.add("PlaceholderAPI");
    plugin = world.enable(new ScorehallBukkit(), folder, Map.of("api-url", url, "key", key, "placeholder-seconds", 1));
  }

  @Override
  Object answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "join" -> dispatched(new PlayerJoinEvent(playerOf(words[1]), ""));
      case "quit" -> dispatched(new PlayerQuitEvent(playerOf(words[1]), ""));
      case "ask" -> ask(words[1], words[2]);
      case "ask-elsewhere" -> CompletableFuture.supplyAsync(() -> ask(words[1], words[2])).get();
      case "ask-often" -> nanosecondsOf(words[1], words[2], Integer.parseInt(words[3]));
      case "await" -> await(words[1], words[2], words[3]);
      case "stays" -> stays(words[1], words[2]);
      case "ban-check" -> Driver.joins(world, uuid(words[1]));
      case "break" -> breakEntry(uuid(words[1]));
      case "leaderboards-due" -> leaderboardsDue();
      case "expansion" -> expansionFacts();
      case "disable" -> disable();
      default -> throw new IOException("unknown command " + words[0]);
    };
  }

  private Object dispatched(org.bukkit.event.Event event) {
    world.dispatch(event);
    return true;
  }

  private static UUID uuid(String number) {
    return Driver.uuid(Integer.parseInt(number));
  }

  private Player playerOf(String number) {
    return world.player(uuid(number), "Player" + number);
  }

  /** The player 0 means no player. */
  private static String ask(String number, String placeholder) {
    OfflinePlayer player = number.equals("0") ? null
        : World.fake(OfflinePlayer.class, (method, arguments) -> uuid(number));
    return expansion().onRequest(player, placeholder);
  }

  private static long nanosecondsOf(String number, String placeholder, int count) {
    OfflinePlayer player = World.fake(OfflinePlayer.class, (method, arguments) -> uuid(number));
    PlaceholderExpansion expansion = expansion();
    long started = System.nanoTime();
    for (int time = 0; time < count; time++) expansion.onRequest(player, placeholder);
    return System.nanoTime() - started;
  }

  private static String await(String number, String placeholder, String expected) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    String text = ask(number, placeholder);
    while (!expected.equals(text) && System.nanoTime() < end) {
      Thread.sleep(10);
      text = ask(number, placeholder);
    }
    return text;
  }

  /** Asks for a second, in which the plugin has five turns. */
  private static String stays(String number, String placeholder) throws InterruptedException {
    String before = ask(number, placeholder);
    for (int time = 0; time < 100; time++) {
      Thread.sleep(10);
      String text = ask(number, placeholder);
      if (!text.equals(before)) return text;
    }
    return before;
  }

  /** Makes every turn of the plugin throw, until the player joins again: no answer of the service does. */
  private Object breakEntry(UUID player) throws ReflectiveOperationException {
    Object entry = ((Map<?, ?>) fieldOf(fieldOf(plugin, "statistics"), "online")).get(player);
    Field snapshot = entry.getClass().getDeclaredField("snapshot");
    snapshot.setAccessible(true);
    snapshot.set(entry, null);
    return true;
  }

  /** As after a minute. */
  private Object leaderboardsDue() throws ReflectiveOperationException {
    Object leaderboards = fieldOf(fieldOf(plugin, "statistics"), "leaderboards");
    Field next = leaderboards.getClass().getDeclaredField("nextRefresh");
    next.setAccessible(true);
    next.setLong(leaderboards, 0);
    return true;
  }

  private static PlaceholderExpansion expansion() {
    try {
      Field registered = PlaceholderExpansion.class.getDeclaredField("REGISTERED");
      registered.setAccessible(true);
      return (PlaceholderExpansion) ((Map<?, ?>) registered.get(null)).get("scorehall");
    } catch (ReflectiveOperationException wrong) {
      throw new IllegalStateException(wrong);
    }
  }

  private static Object fieldOf(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(owner);
  }

  private static Object expansionFacts() {
    PlaceholderExpansion expansion = expansion();
    return List.of(expansion.getVersion(), expansion.persist(), expansion.getPlaceholders().contains("%scorehall_kills%"));
  }

  void close() {
    plugin.onDisable();
  }

  private Object disable() {
    plugin.onDisable();
    return expansion() == null;
  }
}
