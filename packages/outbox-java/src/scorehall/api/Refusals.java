package scorehall.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The banned players who tried to join within the last minute. Repeated attempts must not use up the requests of the
 * server, because without requests banned players can join. Entries are in the order of their time.
 */
final class Refusals {
  private static final long REMEMBERED_MS = 60_000;
  private static final int MAX = 1_000;

  private record Refusal(String text, long until) {}

  private final Map<UUID, Refusal> recent = new LinkedHashMap<>();

  /** @return the text for the player; null if there is no entry */
  synchronized String textFor(UUID player) {
    Refusal refusal = recent.get(player);
    return refusal == null || RateLimit.now() >= refusal.until ? null : refusal.text;
  }

  synchronized void add(UUID player, String text) {
    recent.remove(player);
    if (recent.size() >= MAX) recent.remove(recent.keySet().iterator().next());
    recent.put(player, new Refusal(text, RateLimit.now() + REMEMBERED_MS));
  }
}
