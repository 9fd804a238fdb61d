package scorehall.outbox;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of the outbox.
 *
 * @param json the JSON of the event, as sent
 * @param type empty if the event has none
 * @param time null if the event has no valid one
 * @param since epoch milliseconds of the first receipt with `"retry": true`; 0 before
 */
record QueuedEvent(String json, String type, Instant time, long since) {
  /** The types of events of which the service stores only the newest of a server. */
  private static final Set<String> OF_THE_PRESENT = Set.of("server.presence", "match.progress");
  /** The service rejects older ones. */
  private static final long MAX_AGE_MS = 300_000;
  private static final Pattern AGAIN = Pattern.compile("\\[(\\d{1,18}),(.*)]", Pattern.DOTALL);

  /** @return null if the line is not an event, nor `[since,event]` */
  static QueuedEvent read(String line) {
    Matcher again = AGAIN.matcher(line);
    boolean isAgain = again.matches();
    String json = isAgain ? again.group(2) : line;
    try {
      if (!(JsonReader.read(json) instanceof Map<?, ?> event)) return null;
      String type = event.get("type") instanceof String text ? text : "";
      return new QueuedEvent(json, type, timeOf(event.get("time")), isAgain ? Long.parseLong(again.group(1)) : 0);
    } catch (IllegalArgumentException damaged) {
      return null;
    }
  }

  /** The line that queues the event again. */
  String again(long now) {
    return "[" + (since == 0 ? now : since) + "," + json + "]";
  }

  /** Leaves out all reports of the present but the newest of each type, and those that the service would reject for their age. */
  static List<QueuedEvent> withoutStale(List<QueuedEvent> events, Instant now) {
    Map<String, Instant> newest = new HashMap<>();
    for (QueuedEvent event : events) {
      if (event.isOfThePresent()) newest.merge(event.type, event.time, (a, b) -> a.isAfter(b) ? a : b);
    }
    return events.stream()
        .filter(event -> !event.isOfThePresent()
            || (event.time.equals(newest.get(event.type)) && !event.time.isBefore(now.minusMillis(MAX_AGE_MS))))
        .toList();
  }

  /** One with an invalid time is sent, so that the service reports the problem. */
  private boolean isOfThePresent() {
    return time != null && OF_THE_PRESENT.contains(type);
  }

  private static Instant timeOf(Object time) {
    try {
      return time instanceof String text ? OffsetDateTime.parse(text).toInstant() : null;
    } catch (DateTimeException wrong) {
      return null;
    }
  }
}
