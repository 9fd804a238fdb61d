import com.velocitypowered.api.event.connection.DisconnectEvent;
import com.velocitypowered.api.event.connection.DisconnectEvent.LoginStatus;
import com.velocitypowered.api.event.connection.LoginEvent;
import com.velocitypowered.api.event.player.ServerConnectedEvent;
import com.velocitypowered.api.event.proxy.ProxyInitializeEvent;
import com.velocitypowered.api.event.proxy.ProxyShutdownEvent;
import com.velocitypowered.api.proxy.Player;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.kyori.adventure.text.TextComponent;
import scorehall.velocity.ScorehallVelocity;

/**
 * A network behind a proxy. `Lobby` and `games` have keys, `empty` has no players, `down` does not run, and `private` has
 * no key. A command is a step of the network.
 */
final class VelocityNetwork extends Commands {
  private final VelocityProxy network =
      new VelocityProxy(List.of("Lobby", "games", "empty", "down", "private"), Set.of("down"));
  private final ScorehallVelocity plugin;
  private final Map<String, Player> players = Map.of(
      "salt", player(1, "Saltmarten", Integer.MAX_VALUE),
      "salt-again", player(1, "Saltmarten", Integer.MAX_VALUE),
      "wader", player(2, "Wader", Integer.MAX_VALUE),
      "duck", player(3, "\ud83e\udd86Duck\ud800", Integer.MAX_VALUE),
      "gone", player(4, "Gone", 0),
      "going", player(5, "Going", 2));

  VelocityNetwork(Path folder, String settings) throws IOException {
    if (!settings.isEmpty()) Files.writeString(Files.createDirectories(folder).resolve("config.properties"), settings);
    plugin = new ScorehallVelocity(network.proxy, network.logger, folder);
  }

  private Player player(int number, String name, int activeFor) {
    return network.player(Driver.uuid(number), name, activeFor);
  }

  @Override
  Object answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "start" -> fired(new ProxyInitializeEvent());
      case "log" -> logged();
      case "login" -> login(players.get(words[1]));
      case "connect" -> connect(players.get(words[1]), words[2]);
      case "leave" -> leave(players.get(words[1]), words.length > 2 ? LoginStatus.CONFLICTING_LOGIN : LoginStatus.SUCCESSFUL_LOGIN);
      case "command" -> command(words);
      case "commands" -> List.copyOf(network.commands.keySet());
      case "presence" -> presence();
      case "stop" -> stop();
      default -> throw new IOException("unknown command " + words[0]);
    };
  }

  private Object fired(Object event) throws Exception {
    network.fire(plugin, event);
    return true;
  }

  private Object logged() {
    List<String> lines = new ArrayList<>();
    network.log.drainTo(lines);
    return lines;
  }

  private Object login(Player player) throws Exception {
    LoginEvent event = network.fire(plugin, new LoginEvent(player));
    return event.getResult().getReasonComponent().map(reason -> ((TextComponent) reason).content()).orElse("allowed");
  }

  private Object connect(Player player, String server) throws Exception {
    network.connected.values().forEach(list -> list.remove(player));
    if (player.isActive()) network.connected.get(server).add(player);
    fired(new ServerConnectedEvent(player, network.servers.get(server), null));
    if (!player.isActive()) network.connected.get(server).remove(player);
    return true;
  }

  private Object leave(Player player, LoginStatus status) throws Exception {
    network.connected.values().forEach(list -> list.remove(player));
    return fired(new DisconnectEvent(player, status));
  }

  private Object command(String[] words) throws InterruptedException {
    network.execute(words[2], players.get(words[1]), List.of(words).subList(3, words.length).toArray(String[]::new));
    return network.messages.poll(10, TimeUnit.SECONDS);
  }

  private Object presence() {
    network.timers.forEach(Runnable::run);
    return network.timers.size();
  }

  private Object stop() throws Exception {
    long started = System.nanoTime();
    network.fire(plugin, new ProxyShutdownEvent());
    return (System.nanoTime() - started) / 1_000_000;
  }
}
