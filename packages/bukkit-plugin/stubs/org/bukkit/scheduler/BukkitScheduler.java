package org.bukkit.scheduler;

public interface BukkitScheduler {
  BukkitTask runTask(org.bukkit.plugin.Plugin plugin, Runnable task);

  BukkitTask runTaskTimer(org.bukkit.plugin.Plugin plugin, Runnable task, long delay, long period);
}
