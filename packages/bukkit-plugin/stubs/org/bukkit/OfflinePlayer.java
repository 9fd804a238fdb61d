package org.bukkit;

public interface OfflinePlayer {
  boolean isOnline();

  java.util.UUID getUniqueId();
}
