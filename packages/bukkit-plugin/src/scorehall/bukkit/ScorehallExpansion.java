package scorehall.bukkit;

import java.util.List;
import java.util.Locale;
import me.clip.placeholderapi.expansion.PlaceholderExpansion;
import org.bukkit.OfflinePlayer;

/** `%scorehall_…%` for PlaceholderAPI. Only servers with that plugin may load this class. */
final class ScorehallExpansion extends PlaceholderExpansion {
  private final StatisticsCache statistics;
  private final LeaderboardCache leaderboards;
  private final String version;

  private ScorehallExpansion(StatisticsCache statistics, LeaderboardCache leaderboards, String version) {
    this.statistics = statistics;
    this.leaderboards = leaderboards;
    this.version = version;
  }

  /** @return unregisters the expansion */
  static Runnable register(StatisticsCache statistics, LeaderboardCache leaderboards, String version) {
    ScorehallExpansion expansion = new ScorehallExpansion(statistics, leaderboards, version);
    expansion.register();
    return expansion::unregister;
  }

  @Override
  public String getIdentifier() {
    return "scorehall";
  }

  @Override
  public String getAuthor() {
    return "Scorehall";
  }

  @Override
  public String getVersion() {
    return version;
  }

  @Override
  public List<String> getPlaceholders() {
    return Placeholders.list().stream().map(name -> "%scorehall_" + name + "%").toList();
  }

  /** Stays registered at `/papi reload`. */
  @Override
  public boolean persist() {
    return true;
  }

  @Override
  public String onRequest(OfflinePlayer player, String params) {
    String placeholder = params.toLowerCase(Locale.ROOT);
    if (placeholder.startsWith(LeaderboardCache.PREFIX)) return leaderboards.textOf(placeholder);
    if (player != null) return statistics.textOf(player.getUniqueId(), placeholder);
    return Placeholders.fieldOf(placeholder) == null ? null : "";
  }
}
