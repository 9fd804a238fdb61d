package scorehall.bukkit;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import scorehall.outbox.Outbox;
import scorehall.outbox.Text;

/** Writes logins, logouts and link codes; with a key, shows statistics and refuses banned players. */
public final class ScorehallBukkit extends JavaPlugin implements Listener {
  private static final int MAX_CODE = 32;

  private Outbox outbox;
  private Api api;
  private boolean checkBans;

  @Override
  public void onEnable() {
    saveDefaultConfig();
    FileConfiguration config = getConfig();
    checkBans = config.getBoolean("check-bans", true);
    try {
      api = Api.open(config.getString("api-url", ""), config.getString("key", ""));
    } catch (IllegalArgumentException wrong) {
      getLogger().warning(wrong.getMessage());
    }
    try {
      outbox = new Outbox(getDataFolder().toPath(), getLogger()::warning);
    } catch (IOException trouble) {
      throw new UncheckedIOException(trouble);
    }
    getServer().getPluginManager().registerEvents(this, this);
    // After a reload, players are online already.
    getServer().getOnlinePlayers().forEach(player -> session("player.login", player));
  }

  /** The server disables its plugins before it disconnects the players. */
  @Override
  public void onDisable() {
    if (outbox == null) return;
    getServer().getOnlinePlayers().forEach(player -> session("player.logout", player));
    outbox.close();
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onJoin(PlayerJoinEvent event) {
    session("player.login", event.getPlayer());
  }

  @EventHandler(priority = EventPriority.MONITOR)
  public void onQuit(PlayerQuitEvent event) {
    session("player.logout", event.getPlayer());
  }

  /** Runs outside the server's thread, so waiting for the answer delays this player only. */
  @EventHandler(priority = EventPriority.HIGH)
  public void onPreLogin(AsyncPlayerPreLoginEvent event) {
    if (api == null || !checkBans || event.getLoginResult() != AsyncPlayerPreLoginEvent.Result.ALLOWED) return;
    String reason = api.banOf(event.getUniqueId());
    if (reason != null) event.disallow(AsyncPlayerPreLoginEvent.Result.KICK_BANNED, reason);
  }

  @Override
  public boolean onCommand(CommandSender sender, Command command, String label, String[] args) {
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
    outbox.append("account.link", Map.of("player", identity(player), "code", code));
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

  private void session(String type, Player player) {
    outbox.append(type, Map.of("player", identity(player)));
  }

  private static Map<String, Object> identity(Player player) {
    String uuid = player.getUniqueId().toString();
    return Map.of("uuid", uuid, "name", Text.clean(player.getName(), 64, uuid));
  }
}
