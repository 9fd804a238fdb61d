package scorehall.velocity;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * `config.properties`.
 *
 * @param keys the keys of the servers, by their names in lower case, as Velocity finds them
 */
record Configuration(
    String url, String apiUrl, Map<String, String> keys, boolean checkBans, boolean reportPlayers, String statsCommand) {
  private static final String FILE = "config.properties";
  private static final String KEY = "key.";

  /** Creates the file from the one in the jar if there is none. */
  static Configuration load(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.isDirectory(folder)) Files.createDirectories(folder);
    if (Files.notExists(file)) {
      try (InputStream standard = Configuration.class.getResourceAsStream("/" + FILE)) {
        Files.copy(standard, file);
      }
    }
    Properties read = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      read.load(reader);
    } catch (IllegalArgumentException damaged) {
      throw new IOException(FILE + ": " + damaged.getMessage());
    }
    return of(read);
  }

  private static Configuration of(Properties read) {
    Map<String, String> keys = new TreeMap<>();
    for (String name : read.stringPropertyNames()) {
      String key = read.getProperty(name).strip();
      if (name.startsWith(KEY) && !key.isEmpty()) keys.put(name.substring(KEY.length()).toLowerCase(Locale.ROOT), key);
    }
    return new Configuration(
        text(read, "url", ""), text(read, "api-url", ""), keys, isOn(read, "check-bans"), isOn(read, "report-players"),
        text(read, "stats-command", "stats"));
  }

  /** The key of the first server by name, for the data API, where any key of the network reads the same; empty without keys. */
  String readKey() {
    return keys.values().stream().findFirst().orElse("");
  }

  /** Two servers with one key would overwrite each other. */
  boolean hasSharedKey() {
    Set<String> different = new HashSet<>(keys.values());
    return different.size() < keys.size();
  }

  private static String text(Properties read, String name, String otherwise) {
    return read.getProperty(name, otherwise).strip();
  }

  private static boolean isOn(Properties read, String name) {
    return !text(read, name, "true").equalsIgnoreCase("false");
  }
}
