package org.bukkit.entity;

public interface Player extends org.bukkit.command.CommandSender, org.bukkit.OfflinePlayer, org.bukkit.metadata.Metadatable {
  String getName();

  @Override
  java.util.UUID getUniqueId();
}
