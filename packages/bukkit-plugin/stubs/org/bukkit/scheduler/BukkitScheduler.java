package org.bukkit.scheduler;

public interface BukkitScheduler {
  BukkitTask runTask(org.bukkit.plugin.Plugin plugin, Runnable task);
}
