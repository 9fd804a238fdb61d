package scorehall.bukkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import scorehall.outbox.Text;

/** Reads public data of `/v1` with the server's key. */
final class Api {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  /** After a failure nobody waits for the service for this long. */
  private static final long PAUSE_MS = 10_000;

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final String url;
  private final String key;
  private volatile long pausedUntil;

  private Api(String url, String key) {
    this.url = url;
    this.key = key;
  }

  /**
   * @return null where address and key are empty
   * @throws IllegalArgumentException where they are not usable; the message does not contain the key
   */
  static Api open(String url, String key) {
    if (url.isBlank() && key.isBlank()) return null;
    if (!key.matches("shk_[A-Za-z0-9_-]+")) throw new IllegalArgumentException("config.yml: key must be the server's key, shk_…");
    URI address = URI.create(url.strip().replaceAll("/+$", ""));
    boolean local = List.of("127.0.0.1", "localhost", "[::1]").contains(String.valueOf(address.getHost()));
    if (address.getHost() == null || !("https".equals(address.getScheme()) || ("http".equals(address.getScheme()) && local))) {
      throw new IllegalArgumentException("config.yml: api-url must begin with https://, or http:// on this machine");
    }
    return new Api(address.toString(), key);
  }

  /**
   * Waits for each answer for two seconds at most.
   *
   * @return the text for a banned player; null for others, and where the service does not answer
   */
  String banOf(UUID player) {
    if (System.currentTimeMillis() < pausedUntil) return null;
    try {
      boolean banned = await(get(player.toString(), "")) instanceof Map<?, ?> known && Boolean.TRUE.equals(known.get("banned"));
      if (!banned) return null;
      return banIn(await(get(player + "/punishments", "?limit=100")));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException away) {
      pausedUntil = System.currentTimeMillis() + PAUSE_MS;
    }
    return null;
  }

  private static <T> T await(CompletableFuture<T> answer) throws InterruptedException, ExecutionException, TimeoutException {
    return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static String banIn(Object page) {
    if (!(page instanceof List<?> punishments)) return "You are banned.";
    for (Object each : punishments) {
      if (each instanceof Map<?, ?> it && "ban".equals(it.get("type")) && Double.valueOf(0).equals(it.get("state"))) {
        String reason = Text.clean(String.valueOf(it.get("reason")), 500, "");
        return reason.isEmpty() ? "You are banned." : "You are banned: " + reason;
      }
    }
    return "You are banned.";
  }

  /** One sentence; also where the player is not known or the service does not answer. */
  CompletableFuture<String> statisticsOf(String player) {
    return get(URLEncoder.encode(player, StandardCharsets.UTF_8).replace("+", "%20"), "?fields=total")
        .thenApply(Api::sentence)
        .exceptionally(away -> "Statistics are not available at the moment.");
  }

  private static String sentence(Object answer) {
    if (!(answer instanceof Map<?, ?> player) || !(player.get("total") instanceof Map<?, ?> total)) {
      return "This player is not known.";
    }
    String name = Text.clean(String.valueOf(player.get("name")), 64, "");
    return String.format("%s: kills %s, deaths %s, won %s of %s matches, played %s h",
        name, number(total, "kill_count"), number(total, "death_count"), number(total, "win_count"),
        number(total, "play_count"), number(total, "time_played") / 3600);
  }

  private static long number(Map<?, ?> total, String member) {
    return total.get(member) instanceof Number number ? number.longValue() : 0;
  }

  /** @return the answer; null where the service says that there is no such player */
  private CompletableFuture<Object> get(String path, String query) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/players/" + path + query))
        .timeout(TIMEOUT)
        .header("Authorization", "Bearer " + key)
        .header("Accept", "application/json")
        .build();
    return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(response -> {
      if (response.statusCode() == 404) return null;
      if (response.statusCode() == 200) return JsonReader.read(response.body());
      throw new UncheckedIOException(new IOException("status " + response.statusCode()));
    });
  }
}
