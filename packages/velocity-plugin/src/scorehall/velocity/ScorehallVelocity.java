package scorehall.velocity;

import com.google.inject.Inject;
import com.velocitypowered.api.command.CommandManager;
import com.velocitypowered.api.command.CommandSource;
import com.velocitypowered.api.command.SimpleCommand;
import com.velocitypowered.api.event.EventTask;
import com.velocitypowered.api.event.ResultedEvent;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.connection.DisconnectEvent;
import com.velocitypowered.api.event.connection.LoginEvent;
import com.velocitypowered.api.event.player.ServerConnectedEvent;
import com.velocitypowered.api.event.proxy.ProxyInitializeEvent;
import com.velocitypowered.api.event.proxy.ProxyShutdownEvent;
import com.velocitypowered.api.plugin.annotation.DataDirectory;
import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.ProxyServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiConsumer;
import net.kyori.adventure.text.Component;
import org.slf4j.Logger;
import scorehall.api.Api;
import scorehall.api.CommandPause;
import scorehall.outbox.Text;

/** Reports logins, logouts and who is on each server of the network, refuses banned players, and has /link and /stats. */
public final class ScorehallVelocity {
  private static final Duration PRESENCE = Duration.ofSeconds(30);
  private static final int MAX_CODE = 32;

  private final ProxyServer proxy;
  private final Logger logger;
  private final Path folder;
  private final CommandPause pause = new CommandPause();
  private Configuration config;
  private Backends backends;
  private Api api;

  @Inject
  public ScorehallVelocity(ProxyServer proxy, Logger logger, @DataDirectory Path folder) {
    this.proxy = proxy;
    this.logger = logger;
    this.folder = folder;
  }

  @Subscribe
  public void onInitialize(ProxyInitializeEvent event) {
    try {
      config = Configuration.load(folder);
      if (config.hasSharedKey()) throw new IOException("two servers in config.properties have the same key");
      backends = Backends.open(proxy, config, folder, logger::warn);
    } catch (IOException trouble) {
      logger.error("Scorehall does nothing: " + trouble);
      return;
    }
    warn();
    openApi();
    register("link", this::link);
    register("scorehallstats", this::statistics);
    if (!config.statsCommand().isEmpty()) register(config.statsCommand(), this::statistics);
    if (reportsPlayers()) proxy.getScheduler().buildTask(this, backends::reportPresence).repeat(PRESENCE).schedule();
  }

  private void warn() {
    if (backends.isEmpty()) return;
    if (!backends.unknown().isEmpty()) logger.warn("These keys belong to no server in velocity.toml: " + backends.unknown());
    if (!backends.unreported().isEmpty()) logger.info("Servers without a key, which are not reported: " + backends.unreported());
  }

  private void openApi() {
    try {
      api = Api.open(config.apiUrl(), config.readKey(), logger::warn);
      if (api != null) api.check();
    } catch (IllegalArgumentException wrong) {
      logger.warn(wrong.getMessage());
    }
  }

  /** The players were disconnected before, so their logouts are written. */
  @Subscribe
  public void onShutdown(ProxyShutdownEvent event) {
    if (backends != null) backends.close();
  }

  /** No thread of the proxy waits for the answer. */
  @Subscribe
  public EventTask onLogin(LoginEvent event) {
    if (api == null || !config.checkBans() || !event.getResult().isAllowed()) return null;
    return EventTask.resumeWhenComplete(api.banOf(event.getPlayer().getUniqueId()).thenAccept(reason -> {
      if (reason != null) event.setResult(ResultedEvent.ComponentResult.denied(Component.text(reason)));
    }));
  }

  /** For a player who left in the same moment, the other event may have come before. */
  @Subscribe
  public void onServer(ServerConnectedEvent event) {
    if (!reportsPlayers() || !event.getPlayer().isActive()) return;
    backends.move(event.getPlayer(), event.getServer());
    if (!event.getPlayer().isActive()) backends.move(event.getPlayer(), null);
  }

  @Subscribe
  public void onDisconnect(DisconnectEvent event) {
    if (reportsPlayers()) backends.move(event.getPlayer(), null);
  }

  private boolean reportsPlayers() {
    return backends != null && config.reportPlayers();
  }

  private void register(String name, BiConsumer<CommandSource, String[]> command) {
    CommandManager commands = proxy.getCommandManager();
    SimpleCommand simple = invocation -> {
      CommandSource source = invocation.source();
      if (source instanceof Player player && pause.isTooSoon(player.getUniqueId())) tell(source, "Please wait a moment.");
      else command.accept(source, invocation.arguments());
    };
    commands.register(commands.metaBuilder(name).plugin(this).build(), simple);
  }

  private void link(CommandSource source, String[] words) {
    String code = Text.clean(String.join(" ", words), MAX_CODE, "");
    if (!(source instanceof Player player)) tell(source, "Only players can link an account.");
    else if (code.isEmpty()) tell(source, "Usage: /link CODE");
    else if (backends.isEmpty()) tell(source, "Linking is not set up on this network.");
    else {
      backends.link(player, code);
      tell(source, "Your code was sent. The account page on the site shows the result.");
    }
  }

  private void statistics(CommandSource source, String[] words) {
    if (words.length > 1 || (words.length == 0 && !(source instanceof Player))) tell(source, "Usage: /stats [PLAYER]");
    else if (api == null) tell(source, "Statistics are not set up on this network.");
    else {
      String name = words.length == 1 ? words[0] : ((Player) source).getUniqueId().toString();
      api.statisticsOf(name).thenAccept(text -> tell(source, text));
    }
  }

  private static void tell(CommandSource source, String text) {
    source.sendMessage(Component.text(text));
  }
}
