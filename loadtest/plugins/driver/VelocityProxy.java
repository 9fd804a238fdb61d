import com.velocitypowered.api.command.Command;
import com.velocitypowered.api.command.CommandManager;
import com.velocitypowered.api.command.CommandMeta;
import com.velocitypowered.api.command.CommandSource;
import com.velocitypowered.api.command.SimpleCommand;
import com.velocitypowered.api.event.Continuation;
import com.velocitypowered.api.event.EventTask;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.ProxyServer;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import com.velocitypowered.api.proxy.server.ServerInfo;
import com.velocitypowered.api.proxy.server.ServerPing;
import com.velocitypowered.api.scheduler.Scheduler;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import net.kyori.adventure.text.TextComponent;
import org.slf4j.Logger;

/** A proxy that fires events as Velocity does: an event waits for the `EventTask` of its handler. */
final class VelocityProxy {
  final Map<String, RegisteredServer> servers = new LinkedHashMap<>();
  final Map<String, List<Player>> connected = new LinkedHashMap<>();
  /** Servers that do not answer a ping. */
  final Set<String> down;
  final Map<String, SimpleCommand> commands = new LinkedHashMap<>();
  final List<Runnable> timers = new ArrayList<>();
  final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  final ProxyServer proxy = World.fake(ProxyServer.class, this::answer);
  final Logger logger = World.fake(Logger.class, (method, given) -> log.add(method.getName() + ": " + given[0]));

  VelocityProxy(List<String> names, Set<String> down) {
    this.down = down;
    for (String name : names) {
      ServerInfo info = new ServerInfo(name, InetSocketAddress.createUnresolved("127.0.0.1", 25565));
      connected.put(name, new ArrayList<>());
      servers.put(name, World.fake(RegisteredServer.class, (method, given) -> switch (method.getName()) {
        case "getServerInfo" -> info;
        case "getPlayersConnected" -> List.copyOf(connected.get(name));
        case "ping" -> down.contains(name)
            ? CompletableFuture.failedFuture(new IOException("down")) : CompletableFuture.completedFuture(new ServerPing());
        default -> throw new UnsupportedOperationException(method.getName());
      }));
    }
  }

  private Object answer(Method method, Object[] given) {
    return switch (method.getName()) {
      case "getServer" -> servers.entrySet().stream()
          .filter(each -> each.getKey().equalsIgnoreCase((String) given[0])).map(Map.Entry::getValue).findFirst();
      case "getAllServers" -> servers.values();
      case "getCommandManager" -> World.fake(CommandManager.class, this::manage);
      case "getScheduler" -> World.fake(Scheduler.class, (build, task) -> timer((Runnable) task[1]));
      default -> throw new UnsupportedOperationException(method.getName());
    };
  }

  private Object timer(Runnable task) {
    return World.fake(Scheduler.TaskBuilder.class, new World.Answers() {
      @Override
      public Object answer(Method method, Object[] given) {
        if (method.getName().equals("repeat")) return World.fake(Scheduler.TaskBuilder.class, this);
        timers.add(task);
        return null;
      }
    });
  }

  private Object manage(Method method, Object[] given) {
    if (method.getName().equals("register")) {
      ((CommandMeta) given[0]).getAliases().forEach(name -> commands.put(name, (SimpleCommand) (Command) given[1]));
      return null;
    }
    CommandMeta meta = World.fake(CommandMeta.class, (get, none) -> List.of((String) given[0]));
    return World.fake(CommandMeta.Builder.class, new World.Answers() {
      @Override
      public Object answer(Method build, Object[] plugin) {
        return build.getName().equals("build") ? meta : World.fake(CommandMeta.Builder.class, this);
      }
    });
  }

  /** @param activeFor how many times the connection still exists when it is asked */
  Player player(UUID uuid, String name, int activeFor) {
    AtomicInteger left = new AtomicInteger(activeFor);
    return World.fake(Player.class, (method, given) -> switch (method.getName()) {
      case "getUsername" -> name;
      case "getUniqueId" -> uuid;
      case "isActive" -> left.getAndDecrement() > 0;
      case "sendMessage" -> messages.add(((TextComponent) given[0]).content());
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }

  void execute(String name, CommandSource source, String... words) {
    commands.get(name).execute(World.fake(SimpleCommand.Invocation.class, (method, given) -> switch (method.getName()) {
      case "source" -> source;
      case "arguments" -> words;
      default -> name;
    }));
  }

  <T> T fire(Object plugin, T event) throws Exception {
    for (Method method : plugin.getClass().getDeclaredMethods()) {
      if (!method.isAnnotationPresent(Subscribe.class) || !method.getParameterTypes()[0].isInstance(event)) continue;
      if (method.invoke(plugin, event) instanceof EventTask task) await(task);
    }
    return event;
  }

  private static void await(EventTask task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    task.execute(new Continuation() {
      @Override
      public void resume() {
        done.complete(null);
      }

      @Override
      public void resumeWithException(Throwable exception) {
        done.completeExceptionally(exception);
      }
    });
    done.join();
  }
}
