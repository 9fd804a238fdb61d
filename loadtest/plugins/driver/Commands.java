import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import scorehall.outbox.Json;

/** Answers each line of the standard input by one line of JSON. */
abstract class Commands {
  private static final long PATIENCE_MS = 20_000;

  final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();

  abstract Object answer(String[] words) throws Exception;

  final void serve() throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(Json.write(answerTo(line.split(" "))));
    }
  }

  private Object answerTo(String[] words) throws Exception {
    return switch (words[0]) {
      case "warning" -> warnings.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
      case "warnings" -> drainWarnings();
      default -> answer(words);
    };
  }

  private List<String> drainWarnings() {
    List<String> all = new ArrayList<>();
    warnings.drainTo(all);
    return all;
  }
}
