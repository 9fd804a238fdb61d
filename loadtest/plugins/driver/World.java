import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.bukkit.Server;
import org.bukkit.configuration.file.FileConfiguration;
import org.bukkit.entity.Player;
import org.bukkit.event.Cancellable;
import org.bukkit.event.Event;
import org.bukkit.event.EventHandler;
import org.bukkit.event.Listener;
import org.bukkit.metadata.MetadataValue;
import org.bukkit.plugin.java.JavaPlugin;

/** A server that dispatches events as Bukkit does: by type and priority, cancelled ones only to handlers that want them. */
final class World {
  final List<Player> online = new ArrayList<>();
  final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  final List<Runnable> timers = new ArrayList<>();
  /** The names of other plugins. */
  final Set<String> plugins = new HashSet<>();
  final List<JavaPlugin> disabled = new ArrayList<>();
  private final List<Listener> listeners = new ArrayList<>();
  private final Server server = fake(Server.class, (method, arguments) -> switch (method.getName()) {
    case "getOnlinePlayers" -> online;
    case "getPluginManager" -> fake(org.bukkit.plugin.PluginManager.class, this::manage);
    case "getScheduler" -> fake(org.bukkit.scheduler.BukkitScheduler.class, (run, given) -> {
      boolean isTimer = run.getName().equals("runTaskTimer");
      if (isTimer) timers.add((Runnable) given[1]);
      if (!isTimer || given[2].equals(0L)) ((Runnable) given[1]).run();
      return null;
    });
    default -> throw new UnsupportedOperationException(method.getName());
  });

  interface Answers {
    Object answer(Method method, Object[] arguments);
  }

  /** An object of an interface whose methods the function answers. */
  static <T> T fake(Class<T> type, Answers answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) ->
        switch (method.getName()) {
          case "hashCode" -> System.identityHashCode(self);
          case "equals" -> self == arguments[0];
          case "toString" -> type.getSimpleName();
          default -> method.getReturnType() == void.class ? discard(answers.answer(method, arguments)) : answers.answer(method, arguments);
        }));
  }

  private Object manage(Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "registerEvents" -> listeners.add((Listener) arguments[0]);
      case "isPluginEnabled" -> plugins.contains(arguments[0]);
      case "disablePlugin" -> disable((JavaPlugin) arguments[0]);
      default -> throw new UnsupportedOperationException(method.getName());
    };
  }

  private Object disable(JavaPlugin plugin) {
    plugin.onDisable();
    return disabled.add(plugin);
  }

  private static Object discard(Object ignored) {
    return null;
  }

  <T extends JavaPlugin> T enable(T plugin, File folder, Map<String, Object> settings) {
    FileConfiguration config = new FileConfiguration() {};
    settings.forEach(config::set);
    set(plugin, "dataFolder", folder);
    set(plugin, "server", server);
    set(plugin, "config", config);
    plugin.onEnable();
    return plugin;
  }

  private static void set(JavaPlugin plugin, String name, Object value) {
    try {
      Field field = JavaPlugin.class.getDeclaredField(name);
      field.setAccessible(true);
      field.set(plugin, value);
    } catch (ReflectiveOperationException wrong) {
      throw new IllegalStateException(wrong);
    }
  }

  void dispatch(Event event) {
    record Handler(Listener listener, Method method) {
      EventHandler annotation() {
        return method.getAnnotation(EventHandler.class);
      }
    }
    listeners.stream()
        .flatMap(listener -> List.of(listener.getClass().getDeclaredMethods()).stream()
            .filter(method -> method.isAnnotationPresent(EventHandler.class))
            .filter(method -> method.getParameterTypes()[0].isInstance(event))
            .map(method -> new Handler(listener, method)))
        .sorted(Comparator.comparing(handler -> handler.annotation().priority()))
        .filter(handler -> !(handler.annotation().ignoreCancelled() && event instanceof Cancellable it && it.isCancelled()))
        .forEach(handler -> call(handler.method(), handler.listener(), event));
  }

  private static void call(Method method, Listener listener, Event event) {
    try {
      method.invoke(listener, event);
    } catch (ReflectiveOperationException wrong) {
      throw new IllegalStateException(wrong);
    }
  }

  Player player(UUID uuid, String name) {
    Map<String, MetadataValue> metadata = new HashMap<>();
    return fake(Player.class, (method, arguments) -> switch (method.getName()) {
      case "getName" -> name;
      case "getUniqueId" -> uuid;
      case "isOnline" -> true;
      case "setMetadata" -> metadata.put((String) arguments[0], (MetadataValue) arguments[1]);
      case "removeMetadata" -> metadata.remove(arguments[0]);
      case "getMetadata" -> Stream.ofNullable(metadata.get(arguments[0])).toList();
      case "sendMessage" -> messages.add((String) arguments[0]);
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }
}
