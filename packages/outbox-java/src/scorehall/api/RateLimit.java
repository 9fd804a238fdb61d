package scorehall.api;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

/** The requests that the service allows this server per hour (`SERVER_LIMIT`), by its last response. */
public final class RateLimit {
  private static final long WINDOW_MS = 3_600_000;
  private static final long RETRY_SECONDS = 10;
  private static final long START = System.nanoTime();

  private record Window(long limit, long remaining, long end) {}

  private volatile Window window = new Window(1, 1, 0);
  private volatile long refusedUntil;

  /** Milliseconds since the plugin was loaded; changes of the machine's clock do not affect it. */
  public static long now() {
    return (System.nanoTime() - START) / 1_000_000;
  }

  /** Reads the headers of a response. Those of a 401 are about the address, not about the server. */
  void read(HttpResponse<?> response) {
    HttpHeaders headers = response.headers();
    long retry = number(headers, "retry-after", RETRY_SECONDS) * 1000;
    if (response.statusCode() == 429 || response.statusCode() == 503) refusedUntil = now() + Math.min(retry, WINDOW_MS);
    long limit = number(headers, "x-ratelimit-limit", 0);
    if (response.statusCode() == 401 || limit == 0) return;
    long left = (number(headers, "x-ratelimit-reset", 0) - serverTime(headers)) * 1000;
    long end = now() + Math.max(0, Math.min(left, WINDOW_MS));
    window = new Window(limit, number(headers, "x-ratelimit-remaining", limit), end);
  }

  /** Whether `Retry-After` of the service has not ended. */
  boolean isRefused() {
    return now() < refusedUntil;
  }

  /** Whether more than this share of the requests of the hour is left. */
  boolean leaves(double share) {
    Window last = window;
    return now() >= last.end || last.remaining > last.limit * share;
  }

  /** The interval between requests at which all but this share of the requests lasts until the end of the hour. */
  long pace(double share) {
    Window last = window;
    double spare = Math.max(1, last.remaining - last.limit * share);
    return Math.round(Math.max(0, last.end - now()) / spare);
  }

  private static long number(HttpHeaders headers, String name, long otherwise) {
    return headers.firstValue(name).filter(text -> text.matches("\\d{1,12}")).map(Long::parseLong).orElse(otherwise);
  }

  /** The clock of the service, because that of this machine may differ from it. */
  private static long serverTime(HttpHeaders headers) {
    try {
      String date = headers.firstValue("date").orElse("");
      return DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from).getEpochSecond();
    } catch (DateTimeException missing) {
      return Instant.now().getEpochSecond();
    }
  }
}
