package scorehall.bukkit;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.bukkit.command.Command;
import org.bukkit.command.CommandSender;
import org.bukkit.configuration.file.FileConfiguration;
import org.bukkit.entity.Player;
import org.bukkit.event.EventHandler;
import org.bukkit.event.EventPriority;
import org.bukkit.event.Listener;
import org.bukkit.event.player.AsyncPlayerPreLoginEvent;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.plugin.java.JavaPlugin;
import scorehall.api.Api;
import scorehall.api.CommandPause;
import scorehall.outbox.Outbox;
import scorehall.outbox.Text;

/** Reports logins, logouts, who is online and link codes; with a key, shows statistics and refuses banned players. */
public final class ScorehallBukkit extends JavaPlugin implements Listener {
  private static final int MAX_CODE = 32;
  private static final int MIN_REFRESH_SECONDS = 5;

  private final CommandPause pause = new CommandPause();
  private Outbox outbox;
  private Sessions sessions;
  private Api api;
  private boolean checkBans;
  private boolean reportPlayers;
  private StatisticsCache statistics;
  private Runnable unregisterPlaceholders;

  @Override
  public void onEnable() {
    saveDefaultConfig();
    FileConfiguration config = getConfig();
    try {
      outbox = Outbox.open(
          getDataFolder().toPath(), config.getString("url", ""), config.getString("key", ""), getLogger()::warning);
    } catch (IOException trouble) {
      getLogger().severe("outbox.ndjson cannot be written, so the plugin is disabled: " + trouble);
      getServer().getPluginManager().disablePlugin(this);
      return;
    }
    connect(config);
    sessions = new Sessions(getServer(), outbox);
    getServer().getPluginManager().registerEvents(this, this);
    getServer().getOnlinePlayers().forEach(this::readStatistics);
    reportPlayers = config.getBoolean("report-players", true);
    if (reportPlayers) sessions.start(this);
  }

  private void connect(FileConfiguration config) {
    checkBans = config.getBoolean("check-bans", true);
    try {
      api = Api.open(config.getString("api-url", ""), config.getString("key", ""), getLogger()::warning);
    } catch (IllegalArgumentException wrong) {
      getLogger().warning(wrong.getMessage());
    }
    if (api == null) return;
    api.check();
    if (!getServer().getPluginManager().isPluginEnabled("PlaceholderAPI")) return;
    int seconds = Math.max(MIN_REFRESH_SECONDS, config.getInt("placeholder-seconds", 60));
    LeaderboardCache leaderboards = new LeaderboardCache(api, leaderboardPeriod(config));
    statistics = new StatisticsCache(api, leaderboards, seconds * 1000L);
    unregisterPlaceholders = ScorehallExpansion.register(statistics, leaderboards, getDescription().getVersion());
  }

  private String leaderboardPeriod(FileConfiguration config) {
    String period = config.getString("leaderboard-period", "all").toLowerCase(Locale.ROOT);
    if (Statistics.LEADERBOARD_PERIODS.contains(period)) return period;
    String allowed = String.join(", ", Statistics.LEADERBOARD_PERIODS);
    getLogger().warning("The setting leaderboard-period must be one of " + allowed + "; leaderboards are those of all time.");
    return "all";
  }

  /** The server disables its plugins before it disconnects the players. */
  @Override
  public void onDisable() {
    if (outbox == null) return;
    // PlaceholderAPI cannot unregister anything once it is disabled itself.
    if (unregisterPlaceholders != null && getServer().getPluginManager().isPluginEnabled("PlaceholderAPI")) {
      unregisterPlaceholders.run();
    }
    if (statistics != null) statistics.close();
    getServer().getOnlinePlayers().forEach(sessions::logOut);
    outbox.close();
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onJoin(PlayerJoinEvent event) {
    readStatistics(event.getPlayer());
    if (!reportPlayers) return;
    // Some plugins hide a player a tick after the join.
    getServer().getScheduler().runTask(this, () -> {
      if (event.getPlayer().isOnline()) sessions.check(event.getPlayer());
    });
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onQuit(PlayerQuitEvent event) {
    if (statistics != null) statistics.quit(event.getPlayer().getUniqueId());
    sessions.logOut(event.getPlayer());
  }

  /** Runs outside the server's thread, so waiting for the answer delays this player only. */
  @EventHandler(priority = EventPriority.HIGH)
  public void onPreLogin(AsyncPlayerPreLoginEvent event) {
    if (api == null || !checkBans || event.getLoginResult() != AsyncPlayerPreLoginEvent.Result.ALLOWED) return;
    String reason = api.banOf(event.getUniqueId()).join();
    if (reason != null) event.disallow(AsyncPlayerPreLoginEvent.Result.KICK_BANNED, reason);
  }

  @Override
  public boolean onCommand(CommandSender sender, Command command, String label, String[] args) {
    if (sender instanceof Player player && pause.isTooSoon(player.getUniqueId())) {
      sender.sendMessage("Please wait a moment.");
      return true;
    }
    return switch (command.getName()) {
      case "link" -> link(sender, args);
      case "stats" -> statistics(sender, args);
      default -> false;
    };
  }

  private boolean link(CommandSender sender, String[] args) {
    if (!(sender instanceof Player player)) {
      sender.sendMessage("Only players can link an account.");
      return true;
    }
    String code = Text.clean(String.join(" ", args), MAX_CODE, "");
    if (code.isEmpty()) return false;
    outbox.append("account.link", Map.of("player", Sessions.identity(player), "code", code));
    sender.sendMessage("Your code was sent. The account page on the site shows the result.");
    return true;
  }

  private boolean statistics(CommandSender sender, String[] args) {
    if (args.length > 1 || (args.length == 0 && !(sender instanceof Player))) return false;
    if (api == null) {
      sender.sendMessage("Statistics are not set up on this server.");
      return true;
    }
    String name = args.length == 1 ? args[0] : ((Player) sender).getUniqueId().toString();
    CompletableFuture<String> answer = api.statisticsOf(name);
    answer.thenAccept(text -> getServer().getScheduler().runTask(this, () -> sender.sendMessage(text)));
    return true;
  }

  private void readStatistics(Player player) {
    if (statistics != null) statistics.join(player.getUniqueId());
  }
}
