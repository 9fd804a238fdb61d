package org.bukkit.configuration;

import java.util.HashMap;
import java.util.Map;

public class MemorySection {
  private final Map<String, Object> values = new HashMap<>();

  public void set(String path, Object value) {
    values.put(path, value);
  }

  public String getString(String path, String def) {
    return (String) values.getOrDefault(path, def);
  }

  public int getInt(String path, int def) {
    return (Integer) values.getOrDefault(path, def);
  }

  public boolean getBoolean(String path, boolean def) {
    return (Boolean) values.getOrDefault(path, def);
  }
}
