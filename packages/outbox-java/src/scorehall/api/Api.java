package scorehall.api;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import scorehall.outbox.JsonReader;
import scorehall.outbox.Settings;
import scorehall.outbox.Text;

/** Reads public data of `/v1` with the server's key. */
public final class Api {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  /** For this long after a failure, joining players do not wait for the service. */
  private static final long PAUSE_MS = 10_000;
  private static final long REPORT_MS = 60_000;
  /** The shares of the hour's requests that placeholders and commands reserve for the check for bans. */
  private static final double PLACEHOLDERS_LEAVE = 0.25;
  private static final double COMMANDS_LEAVE = 0.1;
  private static final String NOT_THE_API = "The setting api-url does not lead to the data API of Scorehall";

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final RateLimit limit = new RateLimit();
  private final Refusals refusals = new Refusals();
  private final String url;
  private final String key;
  private final Consumer<String> onTrouble;
  private volatile long bansPausedUntil;
  private boolean isInTrouble;
  private String reported;
  private long reportAgain;

  private Api(String url, String key, Consumer<String> onTrouble) {
    this.url = url;
    this.key = key;
    this.onTrouble = onTrouble;
  }

  /**
   * @param onTrouble receives a sentence, in any thread
   * @return null if the address is empty
   * @throws IllegalArgumentException if they are not usable; the message does not contain the key
   */
  public static Api open(String url, String key, Consumer<String> onTrouble) {
    if (url.isBlank()) return null;
    return new Api(Settings.address("api-url", url), Settings.key(key), onTrouble);
  }

  /** Reports a wrong address or key at the start of the server. */
  public void check() {
    get("counters").thenAccept(answer -> {
      if (!(answer instanceof List<?>)) onTrouble.accept(NOT_THE_API + ".");
    });
  }

  /**
   * Two requests, each of two seconds at most. A refusal is cached for a minute.
   *
   * @return the text for a banned player; null for others, and if the service does not answer
   */
  public CompletableFuture<String> banOf(UUID player) {
    String refused = refusals.textFor(player);
    if (refused != null || RateLimit.now() < bansPausedUntil) return CompletableFuture.completedFuture(refused);
    return get("players/" + player)
        .thenCompose(answer -> isBanned(answer) ? textOfBan(player) : CompletableFuture.completedFuture(null))
        .exceptionally(away -> {
          bansPausedUntil = RateLimit.now() + PAUSE_MS;
          return null;
        });
  }

  private static boolean isBanned(Object answer) {
    return answer instanceof Map<?, ?> known && Boolean.TRUE.equals(known.get("banned"));
  }

  private CompletableFuture<String> textOfBan(UUID player) {
    return get("players/" + player + "/punishments?limit=100&fields=appeal").thenApply(page -> {
      String text = banIn(page);
      refusals.add(player, text);
      return text;
    });
  }

  private static String banIn(Object page) {
    if (!(page instanceof List<?> punishments)) return "You are banned.";
    for (Object each : punishments) {
      if (each instanceof Map<?, ?> it && "ban".equalsIgnoreCase(member(it, "type"))
          && Double.valueOf(0).equals(it.get("state"))) {
        return sentenceOf(it);
      }
    }
    return "You are banned.";
  }

  /** The reason, the id of the punishment, which that of an erased player lacks, and where to object, if the network says it. */
  private static String sentenceOf(Map<?, ?> ban) {
    String reason = member(ban, "reason");
    String id = member(ban, "id");
    String appeal = member(ban, "appeal");
    return "You are banned" + (reason.isEmpty() ? "." : ": " + reason)
        + (id.isEmpty() ? "" : "\nPunishment: " + id)
        + (appeal.isEmpty() ? "" : "\nTo object: " + appeal);
  }

  /** A member as text that a game shows; empty if the punishment does not have it. */
  private static String member(Map<?, ?> punishment, String name) {
    return punishment.get(name) instanceof String text ? Text.clean(text, 512, "") : "";
  }

  /** One sentence; also if the player is unknown or the service does not answer. */
  public CompletableFuture<String> statisticsOf(String player) {
    String unavailable = "Statistics are not available at the moment.";
    if (!limit.leaves(COMMANDS_LEAVE)) return CompletableFuture.completedFuture(unavailable);
    String encoded = URLEncoder.encode(player, StandardCharsets.UTF_8).replace("+", "%20");
    return get("players/" + encoded + "?fields=total").thenApply(Api::sentence).exceptionally(away -> unavailable);
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

  /** The player with these members; null if the service does not know the player. */
  public CompletableFuture<Object> player(UUID player, Set<String> fields) {
    return get("players/" + player + "?fields=" + String.join(",", new TreeSet<>(fields)));
  }

  /** The first hundred places of a leaderboard by a member; null if the service does not have it. */
  public CompletableFuture<Object> leaderboard(String mode, String period, String member) {
    return get("leaderboards/" + mode + "/" + period + "?by=" + member + "&limit=100");
  }

  /** Whether requests are left beyond those reserved for the check for bans. */
  public boolean hasSpareRequests() {
    return !limit.isRefused() && limit.leaves(PLACEHOLDERS_LEAVE);
  }

  /** The interval in milliseconds at which the spare requests last for the hour. */
  public long pace() {
    return limit.pace(PLACEHOLDERS_LEAVE);
  }

  /** @return the answer; null for a 404 */
  private CompletableFuture<Object> get(String path) {
    if (limit.isRefused()) return CompletableFuture.failedFuture(new IOException("Retry-After is not over"));
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/" + path))
        .timeout(TIMEOUT)
        .header("Authorization", "Bearer " + key)
        .header("Accept", "application/json")
        .build();
    return send(request)
        .thenApply(this::read)
        .whenComplete((answer, failure) -> report(failure));
  }

  /** The timeout of a request covers its headers only. This one covers the body too, and closes the connection. */
  private CompletableFuture<HttpResponse<String>> send(HttpRequest request) {
    CompletableFuture<HttpResponse<String>> exchange = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    // Only cancelling the future of the client itself ends the exchange, so the timeout completes a copy.
    return exchange.copy()
        .orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((response, failure) -> {
          if (failure instanceof TimeoutException) exchange.cancel(true);
        });
  }

  private Object read(HttpResponse<String> response) {
    limit.read(response);
    return switch (response.statusCode()) {
      case 200 -> json(response.body());
      case 400, 404 -> null;
      case 401, 403 -> throw new Refusal("The service refuses the key in the settings (status " + response.statusCode() + ")");
      case 429 -> throw new Refusal("The requests of this server are used up (SERVER_LIMIT), so bans are not checked");
      default -> throw new Refusal("The service answers with status " + response.statusCode());
    };
  }

  private static Object json(String text) {
    try {
      return JsonReader.read(text);
    } catch (IllegalArgumentException wrong) {
      throw new Refusal(NOT_THE_API);
    }
  }

  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refusal(String sentence) {
      super(sentence);
    }
  }

  /** Reports a fault of the plugin itself. */
  public void reportFault(String sentence, RuntimeException fault) {
    report(new Refusal(sentence + " (" + fault + ")"));
  }

  /** Reports the first failure of a kind after a success, and the same one at most once a minute. */
  private synchronized void report(Throwable failure) {
    boolean wasInTrouble = isInTrouble;
    isInTrouble = failure != null;
    if (failure == null) return;
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    String kind = cause instanceof Refusal ? cause.getMessage() : "The service does not answer";
    if (kind.equals(reported) && (wasInTrouble || RateLimit.now() < reportAgain)) return;
    reported = kind;
    reportAgain = RateLimit.now() + REPORT_MS;
    onTrouble.accept(cause instanceof Refusal ? kind + "." : kind + ": " + cause);
  }
}
