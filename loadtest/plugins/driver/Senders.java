import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import scorehall.outbox.Outbox;

/** A game server whose outbox sends its events itself. */
final class Senders extends Commands {
  /** So small that files are renamed. */
  private static final long MAX_BYTES = 50_000;

  private final Outbox outbox;

  Senders(File folder, String url, String key) throws IOException {
    outbox = Outbox.open(folder.toPath(), MAX_BYTES, url, key, warnings::add);
  }

  @Override
  Object answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "append" -> append(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "close" -> millisecondsOfClose();
      default -> throw new IOException("unknown command " + words[0]);
    };
  }

  /** Returns when the events are on the disk. */
  private Object append(int from, int to) throws IOException, InterruptedException {
    for (int number = from; number < to; number++) {
      Map<String, Object> player = Map.of("uuid", new UUID(0x5e4dL << 48, number), "name", "Player" + number);
      outbox.append("player.login", Map.of("player", player));
    }
    outbox.flush();
    return to - from;
  }

  private Object millisecondsOfClose() {
    long started = System.nanoTime();
    outbox.close();
    return (System.nanoTime() - started) / 1_000_000;
  }
}
