package scorehall.bukkit;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import scorehall.api.Api;
import scorehall.api.RateLimit;
import scorehall.outbox.Text;

/**
 * The leaderboards whose placeholders are in use: `top_MODE_COUNTER_PLACE_name` and `_value`. The server's thread reads texts
 * from memory. A board is requested when it is read for the first time; after that one board a minute, whatever their number.
 */
final class LeaderboardCache {
  static final String PREFIX = "top_";
  private static final long REFRESH_MS = 60_000;
  private static final long RETRY_MS = 10_000;
  private static final int MAX_NAME = 64;
  private static final Pattern PLACEHOLDER = Pattern.compile(PREFIX + "([a-z]+)_([a-z]+)_([1-9]\\d?|100)_(name|value)");

  private record Board(String mode, String member) {}

  private record Place(String name, String value) {}

  private static final class Entry {
    /** Null until the first answer. */
    volatile List<Place> places;
    /** Whether a placeholder was read since the last request. */
    volatile boolean isRead;
    volatile long requested;
  }

  private final Api api;
  private final String period;
  private final Map<Board, Entry> boards = new ConcurrentHashMap<>();
  private long pausedUntil;
  private long nextRefresh;

  LeaderboardCache(Api api, String period) {
    this.api = api;
    this.period = period;
  }

  /** @return the period of the places that the service gives of each player */
  String periodOfPlaces() {
    return period.equals("month") ? period : "all";
  }

  /** @return empty until the board is known, and for a place without a player; null if there is no such placeholder */
  String textOf(String placeholder) {
    Matcher parts = PLACEHOLDER.matcher(placeholder);
    if (!parts.matches() || !Statistics.LEADERBOARD_MODES.contains(parts.group(1))) return null;
    String member = Statistics.LEADERBOARD_MEMBERS.get(parts.group(2));
    if (member == null) return null;
    Entry entry = boards.computeIfAbsent(new Board(parts.group(1), member), added -> new Entry());
    if (!entry.isRead) entry.isRead = true;
    List<Place> places = entry.places;
    int place = Integer.parseInt(parts.group(3));
    if (places == null || place > places.size()) return "";
    return parts.group(4).equals("name") ? places.get(place - 1).name : places.get(place - 1).value;
  }

  /** Requests a board if one is due. @return whether it did */
  boolean readNext() {
    long now = RateLimit.now();
    if (now < pausedUntil || !api.hasSpareRequests()) return false;
    return boards.entrySet().stream()
        .filter(each -> each.getValue().isRead && (each.getValue().places == null || now >= nextRefresh))
        .min(Comparator.comparing(each -> each.getValue().requested))
        .map(each -> read(each.getKey(), each.getValue()))
        .orElse(false);
  }

  private boolean read(Board board, Entry entry) {
    entry.isRead = false;
    entry.requested = RateLimit.now();
    nextRefresh = entry.requested + Math.max(REFRESH_MS, api.pace());
    try {
      entry.places = api.leaderboard(board.mode, period, board.member).get() instanceof List<?> listed
          ? listed.stream().map(each -> placeOf(each, board.member)).toList()
          : List.of();
    } catch (ExecutionException away) {
      entry.isRead = true;
      pausedUntil = nextRefresh = RateLimit.now() + RETRY_MS;
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  private static Place placeOf(Object entry, String member) {
    if (!(entry instanceof Map<?, ?> player) || !(player.get(member) instanceof Number value)) return new Place("", "");
    return new Place(Text.clean(String.valueOf(player.get("name")), MAX_NAME, ""), Long.toString(value.longValue()));
  }
}
