package me.clip.placeholderapi.expansion;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import me.clip.placeholderapi.PlaceholderHook;

public abstract class PlaceholderExpansion extends PlaceholderHook {
  /** Read by the driver of the load test; the real class asks the manager of PlaceholderAPI. */
  private static final Map<String, PlaceholderExpansion> REGISTERED = new ConcurrentHashMap<>();

  public abstract String getIdentifier();

  public abstract String getAuthor();

  public abstract String getVersion();

  public List<String> getPlaceholders() {
    return List.of();
  }

  public boolean persist() {
    return false;
  }

  public boolean register() {
    REGISTERED.put(getIdentifier(), this);
    return true;
  }

  public final boolean unregister() {
    return REGISTERED.remove(getIdentifier(), this);
  }
}
