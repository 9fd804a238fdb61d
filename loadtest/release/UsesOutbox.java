import java.nio.file.Path;
import java.util.Map;
import scorehall.outbox.Outbox;
import scorehall.outbox.Text;

/** A plugin that reports one player, with the jar of a release alone. */
final class UsesOutbox {
  public static void main(String[] args) throws Exception {
    String uuid = "7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a11";
    try (Outbox outbox = Outbox.open(Path.of(args[0]), args[1], args[2], System.err::println)) {
      outbox.append("player.login", Map.of("player", Map.of("uuid", uuid, "name", Text.clean("Jarred", 64, uuid))));
    }
  }
}
