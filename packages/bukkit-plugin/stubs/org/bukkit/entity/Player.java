package org.bukkit.entity;

public interface Player extends org.bukkit.command.CommandSender {
  String getName();

  java.util.UUID getUniqueId();
}
