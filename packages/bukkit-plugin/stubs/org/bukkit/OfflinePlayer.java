package org.bukkit;

public interface OfflinePlayer {
  java.util.UUID getUniqueId();
}
