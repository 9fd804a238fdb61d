package org.bukkit.plugin.java;

import java.io.File;
import java.util.List;
import java.util.logging.Logger;
import org.bukkit.Server;
import org.bukkit.command.Command;
import org.bukkit.command.CommandSender;
import org.bukkit.configuration.file.FileConfiguration;
import org.bukkit.plugin.PluginBase;
import org.bukkit.plugin.PluginDescriptionFile;

public abstract class JavaPlugin extends PluginBase {
  // The real class is set up by its class loader, this one by the driver of the load test.
  private File dataFolder;
  private Server server;
  private FileConfiguration config;

  public final File getDataFolder() {
    return dataFolder;
  }

  public final Server getServer() {
    return server;
  }

  public final PluginDescriptionFile getDescription() {
    return new PluginDescriptionFile("Plugin", "1.0.0", getClass().getName());
  }

  public final Logger getLogger() {
    return Logger.getLogger("plugin");
  }

  public FileConfiguration getConfig() {
    return config;
  }

  public void saveDefaultConfig() {}

  public void onEnable() {}

  public void onDisable() {}

  @Override
  public boolean onCommand(CommandSender sender, Command command, String label, String[] args) {
    return false;
  }

  @Override
  public List<String> onTabComplete(CommandSender sender, Command command, String alias, String[] args) {
    return null;
  }
}
