import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bukkit.plugin.java.JavaPlugin;
import scorehall.bukkit.ScorehallBukkit;
import scorehall.outbox.Losses;
import scorehall.outbox.Outbox;
import scorehall.pgm.ScorehallPgm;

/** Outboxes whose disk or file fails. */
final class OutboxFaults {
  private static final Path FULL_DISK = Path.of("/dev/full");

  private final Path folder;
  private final BlockingQueue<String> troubles = new LinkedBlockingQueue<>();

  OutboxFaults(File folder) {
    this.folder = folder.toPath();
  }

  Map<String, Object> all() throws Exception {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("full for a while", fullForAWhile());
    facts.put("full until the end", fullUntilTheEnd());
    facts.put("more than the queue holds", moreThanTheQueueHolds());
    facts.put("lost for minutes", lostForMinutes());
    facts.put("deleted", deleted());
    facts.put("emptied", emptied());
    facts.put("not an event", notAnEvent());
    facts.put("no folder", List.of(withoutFolder(new ScorehallBukkit()), withoutFolder(new ScorehallPgm())));
    return facts;
  }

  private Object fullForAWhile() throws Exception {
    Path file = fullDisk("while");
    String trouble;
    try (Outbox outbox = new Outbox(file.getParent(), troubles::add)) {
      outbox.append("first", Map.of());
      trouble = trouble();
      outbox.append("second", Map.of());
      Files.delete(file);
      outbox.append("third", Map.of());
    }
    return List.of(trouble.contains("cannot be written"), troubles.size(), types(file));
  }

  private Object fullUntilTheEnd() throws Exception {
    Path file = fullDisk("end");
    Outbox outbox = new Outbox(file.getParent(), troubles::add);
    for (int number = 0; number < 3; number++) outbox.append("lost", Map.of());
    trouble();
    outbox.close();
    return List.of(trouble(), troubles.size());
  }

  /** The thread holds one event, and the queue 100,000. */
  private Object moreThanTheQueueHolds() throws Exception {
    Path file = fullDisk("more");
    List<String> lines = new ArrayList<>();
    try (Outbox outbox = new Outbox(file.getParent(), troubles::add)) {
      outbox.append("first", Map.of());
      lines.add(trouble().replaceAll(":.*", ""));
      for (int number = 0; number < 100_500; number++) outbox.append("next", Map.of());
      Files.delete(file);
    }
    troubles.drainTo(lines);
    return List.of(lines, types(file).size());
  }

  /** A second passes between two lost events. */
  private Object lostForMinutes() {
    AtomicLong clock = new AtomicLong();
    Losses losses = new Losses(troubles::add, () -> clock.getAndAdd(1_000));
    for (int number = 0; number < 100; number++) losses.add();
    losses.end();
    losses.end();
    List<String> lines = new ArrayList<>();
    troubles.drainTo(lines);
    return lines;
  }

  private Object deleted() throws Exception {
    Path own = folder.resolve("deleted");
    Path file = own.resolve("outbox.ndjson");
    try (Outbox outbox = new Outbox(own, troubles::add)) {
      outbox.append("first", Map.of());
      while (Files.size(file) == 0) Thread.sleep(5);
      Files.delete(file);
      Files.delete(own);
      outbox.append("second", Map.of());
    }
    return types(file);
  }

  /** Somebody empties the file. */
  private Object emptied() throws Exception {
    Path own = folder.resolve("emptied");
    Path file = own.resolve("outbox.ndjson");
    try (Outbox outbox = new Outbox(own, troubles::add)) {
      outbox.append("first", Map.of());
      outbox.flush();
      FileChannel.open(file, StandardOpenOption.WRITE).truncate(0).close();
      outbox.append("second", Map.of());
    }
    return List.of(Files.readString(file).startsWith("{"), types(file));
  }

  /** In a folder that is a symbolic link. */
  private Object notAnEvent() throws Exception {
    Path real = Files.createDirectories(folder.resolve("elsewhere"));
    Path own = Files.createSymbolicLink(folder.resolve("wrong"), real);
    Object wrong = new Object() {
      @Override
      public String toString() {
        throw new IllegalStateException("wrong");
      }
    };
    try (Outbox outbox = new Outbox(own, troubles::add)) {
      outbox.append("wrong", Map.of("value", wrong));
      outbox.append("right", Map.of());
    }
    return List.of(String.valueOf(troubles.poll()), types(own.resolve("outbox.ndjson")));
  }

  /** @return whether the plugin is disabled instead of throwing */
  private boolean withoutFolder(JavaPlugin plugin) throws IOException {
    Path file = folder.resolve(plugin.getClass().getSimpleName());
    Files.writeString(file, "");
    World world = new World();
    try {
      world.enable(plugin, file.toFile(), Map.of());
    } catch (RuntimeException thrown) {
      return false;
    }
    return world.disabled.contains(plugin);
  }

  private Path fullDisk(String name) throws IOException {
    Path own = Files.createDirectories(folder.resolve(name));
    return Files.createSymbolicLink(own.resolve("outbox.ndjson"), FULL_DISK);
  }

  private String trouble() throws InterruptedException {
    return String.valueOf(troubles.poll(10, TimeUnit.SECONDS));
  }

  private static List<String> types(Path file) throws IOException {
    if (!Files.isRegularFile(file)) return List.of();
    return Files.readAllLines(file).stream().map(line -> line.replaceAll(".*\"type\":\"(\\w+)\".*", "$1")).toList();
  }
}
