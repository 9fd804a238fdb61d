package scorehall.bukkit;

import java.util.List;
import java.util.Map;

/** Groups and counters of the data API. `npm run docs` writes this file. */
final class Statistics {
  static final List<String> GROUPS = List.of("bowspleef", "tntrun", "cp", "ctw", "objective", "paintball", "splatt", "teampvp", "factions");

  /** Names of placeholders by the member of a group. */
  static final Map<String, String> NAMES = Map.ofEntries(
      Map.entry("kill_count", "kills"),
      Map.entry("death_count", "deaths"),
      Map.entry("win_count", "wins"),
      Map.entry("lose_count", "losses"),
      Map.entry("play_count", "matches"),
      Map.entry("time_played", "playtime_seconds"),
      Map.entry("shot_count", "shots"),
      Map.entry("hit_count", "hits"),
      Map.entry("paint_count", "paint"),
      Map.entry("wool_placed", "wools"),
      Map.entry("core_leaked", "cores"),
      Map.entry("destroyable_destroyed", "monuments"),
      Map.entry("flag_captured", "flags"),
      Map.entry("score", "score"),
      Map.entry("objective_completed", "objectives"));

  /** Names in all groups together. */
  static final List<String> TOTAL = List.of("kills", "deaths", "wins", "losses", "matches", "shots", "hits", "playtime_seconds");

  /** Names that are not in all groups together, each after its group. */
  static final List<String> ONLY_IN_GROUPS = List.of("ctw_wools", "objective_cores", "objective_monuments", "objective_flags", "splatt_paint", "teampvp_score", "teampvp_objectives");

  /** Modes and periods of leaderboards. */
  static final List<String> LEADERBOARD_MODES = List.of("total", "bowspleef", "tntrun", "cp", "ctw", "objective", "paintball", "splatt", "teampvp");
  static final List<String> LEADERBOARD_PERIODS = List.of("day", "week", "month", "all");

  /** The members that order leaderboards, by the names of placeholders. */
  static final Map<String, String> LEADERBOARD_MEMBERS = Map.of(
      "wins", "win_count",
      "kills", "kill_count",
      "matches", "play_count");

  private Statistics() {}
}
