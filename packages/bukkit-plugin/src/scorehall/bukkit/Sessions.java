package scorehall.bukkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bukkit.Server;
import org.bukkit.entity.Player;
import org.bukkit.metadata.MetadataValue;
import org.bukkit.plugin.Plugin;
import scorehall.outbox.Outbox;
import scorehall.outbox.Text;

/**
 * Reports logins, logouts and who is online. A vanished player is offline for the other players, so he is for the site:
 * vanishing is a logout, appearing a login.
 */
final class Sessions {
  private static final long CHECK_TICKS = 20;
  private static final long PRESENCE_TICKS = 30 * 20;
  private static final int MAX_PLAYERS = 5_000;
  /** The key of vanish plugins, that of PGM, and that by which our plugin for PGM marks players with a nick. */
  private static final List<String> HIDDEN = List.of("vanished", "isVanished", "scorehall-hidden");

  private final Server server;
  private final Outbox outbox;
  private final Map<UUID, Map<String, Object>> loggedIn = new HashMap<>();

  Sessions(Server server, Outbox outbox) {
    this.server = server;
    this.outbox = outbox;
  }

  void start(Plugin plugin) {
    // After a reload, players are online already.
    server.getOnlinePlayers().forEach(this::check);
    server.getScheduler().runTaskTimer(plugin, this::checkAll, CHECK_TICKS, CHECK_TICKS);
    // From the start on, because without a heartbeat the agent reports from the log, which names hidden players.
    server.getScheduler().runTaskTimer(plugin, this::reportPresence, 0, PRESENCE_TICKS);
  }

  /** @return whether the player was visible until now, and is hidden */
  boolean check(Player player) {
    boolean isHidden = HIDDEN.stream().flatMap(key -> player.getMetadata(key).stream()).anyMatch(MetadataValue::asBoolean);
    if (isHidden) return logOut(player);
    if (loggedIn.putIfAbsent(player.getUniqueId(), identity(player)) == null) append("player.login", identity(player));
    return false;
  }

  boolean logOut(Player player) {
    Map<String, Object> identity = loggedIn.remove(player.getUniqueId());
    if (identity != null) append("player.logout", identity);
    return identity != null;
  }

  /** Reports at once without a player who disappears, because the last heartbeat names him. */
  private void checkAll() {
    long disappeared = server.getOnlinePlayers().stream().filter(this::check).count();
    if (disappeared > 0) reportPresence();
  }

  /** On PGM our plugin for PGM reports it, because it also knows the match. */
  private void reportPresence() {
    if (server.getPluginManager().isPluginEnabled("ScorehallPGM")) return;
    List<Object> names = loggedIn.values().stream().limit(MAX_PLAYERS).map(identity -> identity.get("name")).toList();
    outbox.append("server.presence", Map.of("current", names.size(), "players", names));
  }

  private void append(String type, Map<String, Object> identity) {
    outbox.append(type, Map.of("player", identity));
  }

  static Map<String, Object> identity(Player player) {
    String uuid = player.getUniqueId().toString();
    return Map.of("uuid", uuid, "name", Text.clean(player.getName(), 64, uuid));
  }
}
