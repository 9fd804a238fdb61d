package scorehall.outbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Appends events to `outbox.ndjson`, from which the agent sends them, or a thread of the outbox itself if it has an address
 * and a key. A separate thread writes, so that `append` never blocks the server's thread. Each line is one write, and a
 * batch is flushed to the disk before the thread waits for the next.
 */
public final class Outbox implements AutoCloseable {
  private static final long MAX_BYTES = 16L << 20;
  private static final int MAX_WAITING = 100_000;
  private static final long RETRY_MS = 1_000;
  private static final long CLOSE_MS = 5_000;

  private final Path folder;
  private final Path file;
  private final long maxBytes;
  private final Consumer<String> onTrouble;
  private final BlockingQueue<Entry> waiting = new LinkedBlockingQueue<>(MAX_WAITING);
  private final Losses losses;
  private final Thread thread = new Thread(this::run, "Scorehall outbox");
  private volatile boolean closing;
  private FileChannel channel;
  private long end;
  private int lost;
  private Sender sender;

  /** What the thread writes: `event`, or `lines`, whose sender waits for `written`. */
  private record Entry(Map<String, Object> event, List<String> lines, CompletableFuture<Void> written) {
    Entry(Map<String, Object> event) {
      this(event, List.of(), null);
    }
  }

  /**
   * @param maxBytes the size at which the file is renamed and a new one begun
   * @param onTrouble receives a sentence, in the writing thread
   */
  public Outbox(Path folder, long maxBytes, Consumer<String> onTrouble) throws IOException {
    this.folder = folder;
    this.file = folder.resolve("outbox.ndjson");
    this.maxBytes = maxBytes;
    this.onTrouble = onTrouble;
    this.losses = new Losses(onTrouble, () -> System.nanoTime() / 1_000_000);
    open();
    thread.setDaemon(true);
    thread.start();
  }

  public Outbox(Path folder, Consumer<String> onTrouble) throws IOException {
    this(folder, MAX_BYTES, onTrouble);
  }

  /**
   * Opens the outbox of a plugin. With an address the outbox sends its events itself; a wrong address or key is reported,
   * and the events stay in the file.
   *
   * @param url `INGEST_URL` of the service; empty if the agent sends the events
   * @param key the key of this server
   */
  public static Outbox open(Path folder, String url, String key, Consumer<String> onTrouble) throws IOException {
    return open(folder, MAX_BYTES, url, key, onTrouble);
  }

  /** @param maxBytes the size at which the file is renamed and a new one begun */
  public static Outbox open(Path folder, long maxBytes, String url, String key, Consumer<String> onTrouble)
      throws IOException {
    Outbox outbox = new Outbox(folder, maxBytes, onTrouble);
    try {
      if (!url.isBlank()) outbox.sender = new Sender(outbox, folder, url, key, onTrouble);
    } catch (IllegalArgumentException wrong) {
      onTrouble.accept(wrong.getMessage() + ". Events stay in outbox.ndjson.");
    }
    return outbox;
  }

  /** Queues an event that happened now, under a new id. `data` must not change afterwards. */
  public void append(String type, Map<String, ?> data) {
    if (!waiting.offer(new Entry(event(type, data)))) losses.add();
  }

  private static Map<String, Object> event(String type, Map<String, ?> data) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("version", 1);
    event.put("id", UUID.randomUUID().toString());
    event.put("type", type);
    event.put("time", Instant.now().toString());
    event.put("data", data);
    return event;
  }

  /**
   * Returns when the events appended so far are on the disk.
   *
   * @throws IOException if the outbox is closed before
   */
  public void flush() throws IOException, InterruptedException {
    appendAgain(List.of());
  }

  /** Appends lines, and returns when they are on the disk. */
  void appendAgain(List<String> lines) throws IOException, InterruptedException {
    CompletableFuture<Void> written = new CompletableFuture<>();
    waiting.put(new Entry(null, lines, written));
    while (thread.isAlive()) {
      try {
        written.get(100, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException | ExecutionException notYet) {
        // The thread ends when the outbox is closed.
      }
    }
    throw new IOException("the outbox is closed");
  }

  /**
   * Writes what is queued, for at most five seconds, and reports events that cannot be written. A sender then has three
   * seconds.
   */
  @Override
  public void close() {
    closing = true;
    try {
      thread.join(CLOSE_MS);
      if (thread.isAlive()) onTrouble.accept(waiting.size() + " events or more are lost: the outbox is too slow.");
      if (sender != null) sender.close();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closing || !waiting.isEmpty()) {
        Entry entry = waiting.poll(200, TimeUnit.MILLISECONDS);
        if (entry == null) continue;
        for (byte[] line : linesOf(entry)) write(ByteBuffer.wrap(line));
        if ((waiting.isEmpty() || entry.written != null) && channel.isOpen()) force();
        if (entry.written != null) entry.written.complete(null);
        if (waiting.size() < MAX_WAITING / 2) losses.end();
      }
      losses.end();
      if (lost > 0) onTrouble.accept(lost + " events are lost: the outbox cannot be written.");
      channel.close();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (IOException trouble) {
      onTrouble.accept("The outbox could not be closed: " + trouble.getMessage());
    }
  }

  /** @return nothing for an event that cannot be written as JSON, so that it does not end the thread */
  private List<byte[]> linesOf(Entry entry) {
    if (entry.event == null) return entry.lines.stream().map(Outbox::bytes).toList();
    try {
      return List.of(bytes(Json.write(entry.event)));
    } catch (RuntimeException wrong) {
      onTrouble.accept("An event of type " + entry.event.get("type") + " is left out: " + wrong);
      return List.of();
    }
  }

  private static byte[] bytes(String line) {
    return (line + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private void force() {
    try {
      if (lost == 0) channel.force(false);
    } catch (IOException trouble) {
      onTrouble.accept("The outbox could not be flushed: " + trouble.getMessage());
    }
  }

  /** Retries until the line is written, because the disk may be full for a while; at the end once more. */
  private void write(ByteBuffer line) throws InterruptedException {
    for (boolean first = true; ; first = false) {
      boolean last = closing;
      try {
        if (!channel.isOpen() || Files.notExists(file)) open();
        // Somebody may have emptied the file, and a write beyond its end would fill it up with zeros.
        end = Math.min(end, channel.size());
        if (end > 0 && end + line.capacity() > maxBytes) rotate();
        line.rewind();
        while (line.hasRemaining()) channel.write(line, end + line.position());
        end += line.capacity();
        return;
      } catch (IOException trouble) {
        if (first && lost == 0) onTrouble.accept("The outbox cannot be written: " + trouble.getMessage());
        if (last) {
          lost++;
          return;
        }
        if (!closing) Thread.sleep(RETRY_MS);
      }
    }
  }

  /** The agent, or the sender, deletes the renamed file when it has the events. */
  private synchronized void rotate() throws IOException {
    channel.force(false);
    long number = System.currentTimeMillis();
    while (Files.exists(folder.resolve(renamed(number)))) number++;
    channel.close();
    Files.move(file, folder.resolve(renamed(number)));
    open();
  }

  private static String renamed(long number) {
    return String.format("outbox.%016d.ndjson", number);
  }

  /**
   * Creates the file again if it was deleted while the server runs. Ends a line that a crash left unfinished, so that
   * the next one is separate.
   */
  private void open() throws IOException {
    if (channel != null) channel.close();
    // If the folder is a symbolic link, Java before 20 fails to create it.
    if (!Files.isDirectory(folder)) Files.createDirectories(folder);
    channel = FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    end = channel.size();
    ByteBuffer last = ByteBuffer.allocate(1);
    if (end > 0 && channel.read(last, end - 1) == 1 && last.get(0) != '\n') {
      end += channel.write(ByteBuffer.wrap(new byte[] {'\n'}), end);
    }
  }
}
