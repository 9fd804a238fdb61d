package scorehall.velocity;

import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.ProxyServer;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import scorehall.outbox.Outbox;
import scorehall.outbox.Settings;
import scorehall.outbox.Text;

/** The servers behind the proxy that have a key, each with its own outbox, because a key reports for one server. */
final class Backends {
  private static final int MAX_PLAYERS = 5_000;

  private final ProxyServer proxy;
  private final Map<String, Outbox> outboxes = new TreeMap<>();
  /** By connection, because a player may have a second one for a moment. */
  private final Map<Player, Outbox> current = new ConcurrentHashMap<>();

  private Backends(ProxyServer proxy) {
    this.proxy = proxy;
  }

  /** @param onTrouble receives a sentence, in any thread */
  static Backends open(ProxyServer proxy, Configuration config, Path folder, Consumer<String> onTrouble) throws IOException {
    Backends backends = new Backends(proxy);
    if (!isUsable(config.url(), onTrouble)) return backends;
    try {
      for (Map.Entry<String, String> each : config.keys().entrySet()) {
        String name = each.getKey();
        Path own = folder.resolve("servers").resolve(folderName(name));
        Consumer<String> onOwn = sentence -> onTrouble.accept(name + ": " + sentence);
        backends.outboxes.put(name, Outbox.open(own, config.url(), each.getValue(), onOwn));
      }
    } catch (IOException trouble) {
      backends.close();
      throw trouble;
    }
    return backends;
  }

  /** Different for each server, and neither `..` nor a path. */
  private static String folderName(String server) {
    return URLEncoder.encode(server, StandardCharsets.UTF_8).replace(".", "%2E").replace("*", "%2A");
  }

  private static boolean isUsable(String url, Consumer<String> onTrouble) {
    try {
      if (url.isEmpty()) throw new IllegalArgumentException("config.properties has no url");
      Settings.address("url", url);
      return true;
    } catch (IllegalArgumentException wrong) {
      onTrouble.accept(wrong.getMessage() + ": nothing is reported.");
      return false;
    }
  }

  /** The names of servers in velocity.toml without a key. */
  List<String> unreported() {
    List<String> names = new ArrayList<>();
    for (RegisteredServer server : proxy.getAllServers()) if (of(server) == null) names.add(server.getServerInfo().getName());
    return names;
  }

  /** The names of keys without a server in velocity.toml. */
  List<String> unknown() {
    return outboxes.keySet().stream().filter(name -> proxy.getServer(name).isEmpty()).toList();
  }

  /** The player is on this server now; null if the connection has ended. */
  void move(Player player, RegisteredServer server) {
    Outbox to = server == null ? null : of(server);
    Outbox from = to == null ? current.remove(player) : current.put(player, to);
    if (from == to) return;
    if (from != null) from.append("player.logout", Map.of("player", identity(player)));
    if (to != null) to.append("player.login", Map.of("player", identity(player)));
  }

  /** Any server of the network may report a code. */
  void link(Player player, String code) {
    Outbox first = outboxes.values().iterator().next();
    current.getOrDefault(player, first).append("account.link", Map.of("player", identity(player), "code", code));
  }

  boolean isEmpty() {
    return outboxes.isEmpty();
  }

  /** An empty server may be down, so the proxy pings it first. */
  void reportPresence() {
    outboxes.forEach((name, outbox) -> proxy.getServer(name).ifPresent(server -> {
      if (server.getPlayersConnected().isEmpty()) server.ping().thenRun(() -> report(outbox, server));
      else report(outbox, server);
    }));
  }

  private static void report(Outbox outbox, RegisteredServer server) {
    List<Object> names = new ArrayList<>();
    for (Player player : server.getPlayersConnected()) names.add(identity(player).get("name"));
    List<Object> listed = names.subList(0, Math.min(names.size(), MAX_PLAYERS));
    outbox.append("server.presence", Map.of("current", listed.size(), "players", listed));
  }

  /** All at once, because each may take seconds. */
  void close() {
    current.keySet().forEach(player -> move(player, null));
    CompletableFuture.allOf(outboxes.values().stream()
        .map(outbox -> CompletableFuture.runAsync(outbox::close, task -> new Thread(task, "Scorehall stop").start()))
        .toArray(CompletableFuture[]::new)).join();
  }

  private Outbox of(RegisteredServer server) {
    return outboxes.get(server.getServerInfo().getName().toLowerCase(Locale.ROOT));
  }

  private static Map<String, Object> identity(Player player) {
    String uuid = player.getUniqueId().toString();
    return Map.of("uuid", uuid, "name", Text.clean(player.getUsername(), 64, uuid));
  }
}
