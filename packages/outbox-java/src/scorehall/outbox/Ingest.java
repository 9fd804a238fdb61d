package scorehall.outbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;

/** Posts batches of events to the ingest. */
final class Ingest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  /** Bodies from this many bytes on are compressed. */
  private static final int MIN_COMPRESSED = 2_048;
  /** Far above the receipts of the largest batch. A longer response is not from the service, and would fill memory. */
  private static final int MAX_RESPONSE_BYTES = 16 << 20;
  private static final int MAX_SENTENCE = 500;
  /** The service never asks for a longer pause; a wrong header must not stop the delivery for days. */
  private static final long MAX_RETRY_AFTER_MS = 3_600_000;
  /** Only these are a decision of the service about an event; otherwise the event must stay in the queue. */
  private static final Set<String> STATUSES = Set.of("accepted", "duplicate", "rejected");

  /** One for all senders of a plugin: each has separate threads. */
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10)).build();

  /** The service refused the whole request: send fewer events, or refuse a single one. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String sentence) {
      super(sentence);
    }
  }

  /** No event was stored, or the response was lost: send the same batch again later. */
  static final class Trouble extends Exception {
    private static final long serialVersionUID = 1;
    final long afterMs;

    Trouble(String sentence, long afterMs) {
      super(sentence);
      this.afterMs = afterMs;
    }
  }

  private final URI url;
  private final String origin;
  private final String key;

  /** @throws IllegalArgumentException if address or key is not usable; the message does not contain the key */
  Ingest(String url, String key) {
    URI address = URI.create(Settings.address("url", url));
    this.url = address.resolve("/events");
    // Without a password in the address.
    this.origin = address.getScheme() + "://" + address.getHost() + (address.getPort() < 0 ? "" : ":" + address.getPort());
    this.key = Settings.key(key);
  }

  /**
   * @param lines the JSON of each event
   * @return a receipt for each event
   */
  List<Map<?, ?>> post(List<String> lines) throws Refused, Trouble, InterruptedException {
    byte[] body = ("[" + String.join(",", lines) + "]").getBytes(StandardCharsets.UTF_8);
    boolean compressed = body.length >= MIN_COMPRESSED;
    HttpRequest.Builder request = HttpRequest.newBuilder(url)
        .timeout(TIMEOUT)
        .header("Authorization", "Bearer " + key)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofByteArray(compressed ? gzipped(body) : body));
    if (compressed) request.header("Content-Encoding", "gzip");
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    HttpResponse<Void> response = send(request.build(), text);
    return read(response, text.toString(StandardCharsets.UTF_8), lines.size());
  }

  /** The timeout of a request covers its headers only; that of `get` covers the body too. */
  private HttpResponse<Void> send(HttpRequest request, ByteArrayOutputStream text) throws Trouble, InterruptedException {
    CompletableFuture<HttpResponse<Void>> exchange =
        CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofByteArrayConsumer(part -> part.ifPresent(bytes -> {
          if (text.size() <= MAX_RESPONSE_BYTES) text.writeBytes(bytes);
        })));
    try {
      return exchange.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      throw new Trouble("A request to " + origin + " failed: " + describe(failed.getCause()), 0);
    } catch (TimeoutException slow) {
      throw new Trouble("A request to " + origin + " failed: no answer within " + TIMEOUT.toSeconds() + " seconds", 0);
    } finally {
      exchange.cancel(true);
    }
  }

  /** The `ConnectException` of the client has no message. */
  private static String describe(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : quoted(message);
  }

  private static byte[] gzipped(byte[] body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(body);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return out.toByteArray();
  }

  private List<Map<?, ?>> read(HttpResponse<?> response, String text, int count) throws Refused, Trouble {
    int status = response.statusCode();
    Object body = parsed(text);
    if (status == 200 && body instanceof List<?> receipts && receipts.size() == count
        && receipts.stream().allMatch(Ingest::isReceipt)) {
      return receipts.stream().<Map<?, ?>>map(receipt -> (Map<?, ?>) receipt).toList();
    }
    Object description = body instanceof Map<?, ?> members ? members.get("error_description") : null;
    String sentence = description instanceof String why ? quoted(status + " " + why) : "status " + status;
    if (status == 400 || status == 413) throw new Refused(sentence);
    boolean elsewhere = status < 400 || status == 404 || status == 405;
    String remedy = elsewhere ? ". " + origin + " is not the ingest: set url to INGEST_URL of the service" : "";
    throw new Trouble(sentence.replaceAll("\\.$", "") + remedy + ".", retryAfter(response));
  }

  private static boolean isReceipt(Object value) {
    return value instanceof Map<?, ?> receipt && receipt.get("status") instanceof String status && STATUSES.contains(status);
  }

  private static Object parsed(String text) {
    try {
      return JsonReader.read(text);
    } catch (IllegalArgumentException wrong) {
      return null;
    }
  }

  private static long retryAfter(HttpResponse<?> response) {
    String header = response.headers().firstValue("retry-after").orElse("");
    return header.matches("\\d{1,9}") ? Math.min(Long.parseLong(header) * 1000, MAX_RETRY_AFTER_MS) : 0;
  }

  /** One line of bounded length, for a log. */
  static String quoted(String text) {
    return text.substring(0, Math.min(text.length(), MAX_SENTENCE)).replaceAll("\\p{Cntrl}+", " ");
  }
}
