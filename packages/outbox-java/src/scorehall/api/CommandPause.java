package scorehall.api;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Each command of a player writes an event or takes a request from the limit of the server: one every three seconds. */
public final class CommandPause {
  private static final long PAUSE_MS = 3_000;

  private final Map<UUID, Long> commands = new HashMap<>();

  public synchronized boolean isTooSoon(UUID player) {
    long now = RateLimit.now();
    commands.values().removeIf(last -> now - last >= PAUSE_MS);
    return commands.putIfAbsent(player, now) != null;
  }
}
