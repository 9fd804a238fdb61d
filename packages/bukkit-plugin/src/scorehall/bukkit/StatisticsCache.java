package scorehall.bukkit;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import scorehall.api.Api;
import scorehall.api.RateLimit;

/**
 * The statistics of the players who are online. The server's thread reads texts from memory. A separate thread requests
 * them from the service, one at a time and only for members and players whose placeholders are in use; it requests
 * leaderboards, too.
 */
final class StatisticsCache implements AutoCloseable {
  /** At most five requests a second for new players, and one a second for players with values. */
  private static final long TICK_MS = 200;
  private static final long MIN_PACE_MS = 1_000;
  /** After a failure, and for players whom the service does not know yet. */
  private static final long RETRY_MS = 10_000;

  /** @param texts null if the service did not know the player */
  private record Snapshot(Set<String> fields, Map<String, String> texts) {}

  private static final class Entry {
    volatile Snapshot snapshot = new Snapshot(Set.of(), null);
    /** Whether a placeholder was read since the last request. */
    volatile boolean isRead;
    volatile long due;
  }

  private final Api api;
  private final LeaderboardCache leaderboards;
  private final long refreshMs;
  private final Map<UUID, Entry> online = new ConcurrentHashMap<>();
  private final Set<String> wanted = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread created = new Thread(task, "Scorehall statistics");
    created.setDaemon(true);
    return created;
  });
  private long pausedUntil;
  private long nextRefresh;

  StatisticsCache(Api api, LeaderboardCache leaderboards, long refreshMs) {
    this.api = api;
    this.leaderboards = leaderboards;
    this.refreshMs = refreshMs;
    wanted.add("total");
    thread.scheduleWithFixedDelay(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  void join(UUID player) {
    online.put(player, new Entry());
  }

  void quit(UUID player) {
    online.remove(player);
  }

  /** @return the text of a placeholder, empty until it is known; null if there is no such placeholder */
  String textOf(UUID player, String placeholder) {
    Entry entry = online.get(player);
    Snapshot snapshot = entry == null ? null : entry.snapshot;
    String text = snapshot == null || snapshot.texts == null ? null : snapshot.texts.get(placeholder);
    if (text == null) {
      String field = Placeholders.fieldOf(placeholder);
      if (field == null) return null;
      if (entry == null) return "";
      want(field);
      boolean isComplete = snapshot.texts != null && snapshot.fields.contains(field);
      text = isComplete ? Placeholders.absent(placeholder, snapshot.texts) : "";
    }
    if (!entry.isRead) entry.isRead = true;
    return text;
  }

  private void want(String field) {
    if (wanted.add(field)) online.values().forEach(entry -> entry.due = 0);
  }

  /** The executor never again runs a task that has thrown. */
  private void tick() {
    try {
      if (!leaderboards.readNext()) readNext();
    } catch (RuntimeException unexpected) {
      pausedUntil = RateLimit.now() + RETRY_MS;
      api.reportFault("Placeholders could not be refreshed", unexpected);
    }
  }

  private void readNext() {
    long now = RateLimit.now();
    if (now < pausedUntil || !api.hasSpareRequests()) return;
    online.entrySet().stream()
        .filter(each -> isDue(each.getValue(), now))
        .min(Comparator.<Map.Entry<UUID, Entry>, Boolean>comparing(each -> isComplete(each.getValue()))
            .thenComparing(each -> each.getValue().due))
        .ifPresent(each -> read(each.getKey(), each.getValue()));
  }

  private boolean isDue(Entry entry, long now) {
    return now >= entry.due && (!isComplete(entry) || (entry.isRead && now >= nextRefresh));
  }

  private boolean isComplete(Entry entry) {
    return entry.snapshot.fields.containsAll(wanted);
  }

  private void read(UUID player, Entry entry) {
    Set<String> fields = Set.copyOf(wanted);
    entry.isRead = false;
    // If reading throws, the other players come first.
    entry.due = RateLimit.now() + RETRY_MS;
    try {
      Object answer = api.player(player, fields).get();
      Map<String, String> texts = answer instanceof Map<?, ?> known
          ? Placeholders.textsOf(known, leaderboards.periodOfPlaces())
          : null;
      entry.snapshot = new Snapshot(fields, texts);
      entry.due = RateLimit.now() + (texts == null ? RETRY_MS : refreshMs);
      // The server's thread may have requested another member meanwhile.
      if (!isComplete(entry)) entry.due = 0;
    } catch (ExecutionException away) {
      entry.isRead = true;
      pausedUntil = entry.due = RateLimit.now() + RETRY_MS;
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
    nextRefresh = RateLimit.now() + Math.max(MIN_PACE_MS, api.pace());
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
