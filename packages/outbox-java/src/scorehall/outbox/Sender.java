package scorehall.outbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Delivers the events of an outbox in a separate thread, by the rules of `packages/sender`: in order, in batches, until
 * the service has answered for each. Refused events are appended to `refused.ndjson`.
 */
final class Sender {
  private static final int MAX_EVENTS = 200;
  private static final int MAX_BYTES = 1 << 20;
  private static final long POLL_MS = 500;
  private static final long FIRST_PAUSE_MS = 500;
  private static final long MAX_PAUSE_MS = 60_000;
  /** How long an event with `"retry": true` is sent again, from the first such receipt. */
  private static final long RETRY_PERIOD_MS = 24 * 3_600_000L;
  /** The same trouble is reported once in this time. */
  private static final long REPORT_MS = 3_600_000;
  /** How long the last events may take when the server stops. */
  private static final long CLOSE_MS = 3_000;

  private final Outbox outbox;
  private final Path folder;
  private final Ingest ingest;
  private final OutboxFiles files;
  private final FolderLock lock;
  private final Consumer<String> onTrouble;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "Scorehall sender");
  /** The size of the next batch: halved while the service refuses the request, to find the invalid event. */
  private int batchSize = MAX_EVENTS;
  private String reported;
  private long reportedAt;
  private boolean isInTrouble;

  /** @throws IllegalArgumentException if address or key is not usable; the message does not contain the key */
  Sender(Outbox outbox, Path folder, String url, String key, Consumer<String> onTrouble) {
    this.outbox = outbox;
    this.folder = folder;
    this.onTrouble = onTrouble;
    ingest = new Ingest(url, key);
    if (key.strip().startsWith("shk_test_")) {
      onTrouble.accept("The key is a test key: the service checks all events, but stores none.");
    }
    files = new OutboxFiles(folder);
    lock = new FolderLock(folder);
    thread.setDaemon(true);
    thread.start();
  }

  /** Sends what is left, for at most three seconds; the rest stays on the disk. */
  void close() throws InterruptedException {
    closing.countDown();
    thread.join(CLOSE_MS);
    thread.interrupt();
  }

  private void run() {
    long pause = FIRST_PAUSE_MS;
    try {
      for (boolean last = false; !last; ) {
        // What was written before `close` is read in the last turns.
        boolean isClosing = closing.getCount() == 0;
        try {
          boolean more = turn();
          pause = FIRST_PAUSE_MS;
          last = isClosing && !more;
          if (!more) closing.await(POLL_MS, TimeUnit.MILLISECONDS);
        } catch (Ingest.Trouble | IOException trouble) {
          last = isClosing;
          reportTrouble(trouble instanceof IOException ? "The outbox cannot be sent: " + trouble : trouble.getMessage());
          long after = trouble instanceof Ingest.Trouble it ? it.afterMs : 0;
          pause(Math.max(after, (long) (pause * ThreadLocalRandom.current().nextDouble(0.5, 1))));
          pause = Math.min(pause * 2, MAX_PAUSE_MS);
        } catch (RuntimeException fault) {
          last = isClosing;
          reportTrouble("The outbox cannot be sent: " + fault);
          pause(MAX_PAUSE_MS);
        }
      }
    } catch (InterruptedException stopped) {
      // The server stops.
    } finally {
      lock.release();
    }
  }

  /** Keeps the lock in use, so that the agent does not take over during a long pause. */
  private void pause(long ms) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    for (long left = ms; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
      lock.acquire();
      if (closing.await(Math.min(left, FolderLock.USE_MS), TimeUnit.MILLISECONDS)) return;
    }
  }

  /** @return whether there may be more to send */
  private boolean turn() throws Ingest.Trouble, IOException, InterruptedException {
    if (!lock.acquire()) {
      throw new Ingest.Trouble("Another process sends the outbox in " + folder + ". Each server needs its own folder.", 0);
    }
    OutboxFiles.Chunk chunk;
    // Between listing and opening the files none may be renamed.
    synchronized (outbox) {
      chunk = files.next(batchSize, MAX_BYTES);
    }
    if (chunk == null) return false;
    deliver(chunk);
    return true;
  }

  private void deliver(OutboxFiles.Chunk chunk) throws Ingest.Trouble, IOException, InterruptedException {
    List<QueuedEvent> read = chunk.lines().stream().map(QueuedEvent::read).toList();
    Ingest.Trouble wait = null;
    try {
      if (read.contains(null)) throw new Ingest.Refused("This line of the outbox is not an event; the file is damaged.");
      List<QueuedEvent> events = QueuedEvent.withoutStale(read, Instant.now());
      if (!events.isEmpty()) {
        wait = process(events, ingest.post(events.stream().map(QueuedEvent::json).toList()));
        reportSuccess();
      }
    } catch (Ingest.Refused refused) {
      batchSize = (chunk.lines().size() + 1) / 2;
      if (chunk.lines().size() > 1) return;
      QueuedEvent only = read.get(0);
      Map<String, Object> receipt = Map.of("id", "", "status", "rejected", "reason", refused.getMessage(), "place", "");
      setAside(List.of(aside(receipt, only == null ? Json.write(chunk.lines().get(0)) : only.json())));
      onTrouble.accept("An event was refused: " + refused.getMessage() + " See refused.ndjson.");
    }
    batchSize = MAX_EVENTS;
    files.advance(chunk.next());
    if (wait != null) throw wait;
  }

  /**
   * Stores rejected events, and queues those with `"retry": true` again.
   *
   * @return the reason to wait if all events have to be sent again later, else null
   */
  private Ingest.Trouble process(List<QueuedEvent> events, List<Map<?, ?>> receipts) throws IOException, InterruptedException {
    List<String> early = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    String first = "";
    String why = "";
    long now = System.currentTimeMillis();
    for (int index = 0; index < events.size(); index++) {
      QueuedEvent event = events.get(index);
      Map<?, ?> receipt = receipts.get(index);
      if (!receipt.get("status").equals("rejected")) continue;
      // The absolute difference, because `since` is in the future after a clock that was ahead is corrected.
      boolean isInRetryPeriod = event.since() == 0 || Math.abs(now - event.since()) < RETRY_PERIOD_MS;
      if (Boolean.TRUE.equals(receipt.get("retry")) && isInRetryPeriod) {
        if (early.isEmpty()) why = Ingest.quoted(String.valueOf(receipt.get("reason")));
        early.add(event.again(now));
      } else {
        if (refused.isEmpty()) first = event.type() + " " + Objects.requireNonNullElse(receipt.get("place"), "");
        refused.add(aside(receipt, event.json()));
      }
    }
    if (!refused.isEmpty()) {
      setAside(refused);
      // Without the reason, which may quote the event.
      onTrouble.accept((refused.size() == 1 ? "1 event was refused: " : refused.size() + " events were refused, the first: ")
          + Ingest.quoted(first) + "; see refused.ndjson");
    }
    if (!early.isEmpty()) outbox.appendAgain(early);
    if (early.isEmpty() || early.size() < events.size()) return null;
    return new Ingest.Trouble("Events wait and are sent again later: " + why, MAX_PAUSE_MS / 2);
  }

  private static String aside(Map<?, ?> receipt, String json) {
    return "{\"receipt\":" + Json.write(receipt) + ",\"event\":" + json + "}\n";
  }

  /** Stores permanently refused events, before the position moves past them. */
  private void setAside(List<String> lines) throws IOException {
    Files.writeString(folder.resolve("refused.ndjson"), String.join("", lines), StandardCharsets.UTF_8,
        StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.DSYNC);
  }

  private void reportTrouble(String sentence) {
    long now = System.nanoTime() / 1_000_000;
    if (sentence.equals(reported) && now - reportedAt < REPORT_MS) return;
    reported = sentence;
    reportedAt = now;
    isInTrouble = true;
    onTrouble.accept(sentence);
  }

  private void reportSuccess() {
    if (isInTrouble) onTrouble.accept("Events are sent again.");
    isInTrouble = false;
  }
}
