package me.clip.placeholderapi;

public abstract class PlaceholderHook {
  public String onRequest(org.bukkit.OfflinePlayer player, String params) {
    return null;
  }
}
