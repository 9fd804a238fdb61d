package scorehall.bukkit;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The names of placeholders, and their texts in a response of `/v1/players/:id`. */
final class Placeholders {
  private static final String TOTAL = "total";
  private static final String COUNTERS = "counters";
  private static final String COUNTER = "counter_";
  private static final String PLACES = "places";
  private static final String PLACE = "place_";

  /** Names by the members of groups that are not counters. */
  private static final Map<String, String> OTHER_NAMES = Map.of(
      "power", "power",
      "kill_count_rank", "rank_kills",
      "win_count_rank", "rank_wins",
      "kd_ratio_rank", "rank_kd",
      "objective_completed_rank", "rank_objectives",
      "time_played_rank", "rank_playtime");

  /** Names by the members of the response. */
  private static final Map<String, String> NAMES = new HashMap<>(Statistics.NAMES);

  static {
    NAMES.putAll(OTHER_NAMES);
  }

  /** The names of counters and of what is computed from them, in the order of the list. */
  private static final Map<String, List<String>> DERIVED = Map.of(
      "deaths", List.of("deaths", "kd"),
      "playtime_seconds", List.of("playtime", "playtime_hours", "playtime_seconds"));

  private Placeholders() {}

  /** All names for the list of PlaceholderAPI. */
  static List<String> list() {
    Stream<String> counters =
        Statistics.TOTAL.stream().flatMap(name -> DERIVED.getOrDefault(name, List.of(name)).stream());
    List<String> shared = Stream.concat(counters, Stream.of(COUNTER + "<key>")).toList();
    Stream<String> own = Stream.concat(Statistics.ONLY_IN_GROUPS.stream(), Stream.of("factions_power"));
    Stream<String> ranks = OTHER_NAMES.values().stream().filter(name -> name.startsWith("rank_")).sorted().map("teampvp_"::concat);
    Stream<String> ofModes = shared.stream().map("<mode>_"::concat);
    Stream<String> places = Stream.of("name", "value").map((LeaderboardCache.PREFIX + "<mode>_<counter>_<place>_")::concat);
    Stream<String> ownPlaces = Stream.of(PLACE + "<mode>_<counter>");
    return Stream.of(shared.stream(), ofModes, own, ranks, ownPlaces, places).flatMap(names -> names).toList();
  }

  /** @return the member of `fields` that has the value of the placeholder; null if there is no such placeholder */
  static String fieldOf(String placeholder) {
    if (placeholder.startsWith(PLACE)) return isPlace(placeholder) ? PLACES : null;
    String mode = modeOf(placeholder);
    String name = mode.equals(TOTAL) ? placeholder : placeholder.substring(mode.length() + 1);
    if (name.startsWith(COUNTER) && name.length() > COUNTER.length()) return COUNTERS;
    boolean isDerived = DERIVED.values().stream().anyMatch(names -> names.contains(name));
    return isDerived || NAMES.containsValue(name) ? mode : null;
  }

  private static boolean isPlace(String placeholder) {
    String[] parts = placeholder.split("_", -1);
    return parts.length == 3
        && Statistics.LEADERBOARD_MODES.contains(parts[1])
        && Statistics.LEADERBOARD_MEMBERS.containsKey(parts[2]);
  }

  private static String modeOf(String placeholder) {
    int end = placeholder.indexOf('_');
    String mode = end < 0 ? "" : placeholder.substring(0, end);
    return Statistics.GROUPS.contains(mode) ? mode : TOTAL;
  }

  /** @return the text of a placeholder that a complete response does not have: 0 for a counter, empty for a place; null if none has it */
  static String absent(String placeholder, Map<String, String> texts) {
    if (placeholder.startsWith(PLACE)) return "";
    String mode = modeOf(placeholder);
    if (mode.equals(TOTAL) || !COUNTERS.equals(fieldOf(placeholder))) return null;
    return texts.containsKey(placeholder.substring(mode.length() + 1)) ? "0" : null;
  }

  /**
   * The texts by the names of their placeholders.
   *
   * @param period the period of the places: `month` or `all`
   */
  static Map<String, String> textsOf(Map<?, ?> player, String period) {
    Map<String, String> texts = new HashMap<>();
    Stream.concat(Stream.of(TOTAL), Statistics.GROUPS.stream()).forEach(mode -> {
      if (player.get(mode) instanceof Map<?, ?> group) group(texts, prefixOf(mode), group);
    });
    if (player.get(COUNTERS) instanceof Map<?, ?> modes) {
      modes.forEach((mode, values) -> {
        if (values instanceof Map<?, ?> group) group.forEach((key, value) -> put(texts, prefixOf(mode) + COUNTER + key, value));
      });
    }
    if (player.get(PLACES) instanceof List<?> places) places.forEach(each -> place(texts, each, period));
    return texts;
  }

  private static void place(Map<String, String> texts, Object each, String period) {
    if (!(each instanceof Map<?, ?> place) || !period.equals(place.get("period"))) return;
    Statistics.LEADERBOARD_MEMBERS.forEach((name, member) -> {
      if (member.equals(place.get("by"))) put(texts, PLACE + place.get("mode") + "_" + name, place.get("place"));
    });
  }

  private static String prefixOf(Object mode) {
    return mode.equals(TOTAL) ? "" : mode + "_";
  }

  private static void group(Map<String, String> texts, String prefix, Map<?, ?> group) {
    NAMES.forEach((member, name) -> put(texts, prefix + name, group.get(member)));
    if (group.get("time_played") instanceof Number time) {
      long minutes = time.longValue() / 60;
      texts.put(prefix + "playtime", String.format(Locale.ROOT, "%dh %02dm", minutes / 60, minutes % 60));
      texts.put(prefix + "playtime_hours", Long.toString(minutes / 60));
    }
    if (group.get("kill_count") instanceof Number kills && group.get("death_count") instanceof Number deaths) {
      double ratio = kills.doubleValue() / Math.max(1, deaths.doubleValue());
      texts.put(prefix + "kd", String.format(Locale.ROOT, "%.2f", ratio));
    }
  }

  /** A rank of 0 means none. */
  private static void put(Map<String, String> texts, String name, Object value) {
    if (!(value instanceof Number number)) return;
    boolean isNoRank = number.longValue() == 0 && name.contains("_rank_");
    texts.put(name, isNoRank ? "" : Long.toString(number.longValue()));
  }
}
