package org.bukkit.entity;

public interface Player extends org.bukkit.command.CommandSender, org.bukkit.OfflinePlayer {
  String getName();

  @Override
  java.util.UUID getUniqueId();
}
