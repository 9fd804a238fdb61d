package org.bukkit.plugin;

public final class PluginDescriptionFile {
  private final String version;

  public PluginDescriptionFile(String name, String version, String main) {
    this.version = version;
  }

  public String getVersion() {
    return version;
  }
}
