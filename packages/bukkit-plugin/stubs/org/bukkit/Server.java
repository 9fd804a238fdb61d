package org.bukkit;

public interface Server {
  java.util.Collection<? extends org.bukkit.entity.Player> getOnlinePlayers();

  org.bukkit.plugin.PluginManager getPluginManager();

  org.bukkit.scheduler.BukkitScheduler getScheduler();
}
