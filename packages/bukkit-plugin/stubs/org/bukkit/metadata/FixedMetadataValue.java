package org.bukkit.metadata;

import org.bukkit.plugin.Plugin;

public class FixedMetadataValue implements MetadataValue {
  private final Object value;

  public FixedMetadataValue(Plugin owningPlugin, Object value) {
    this.value = value;
  }

  @Override
  public boolean asBoolean() {
    return Boolean.TRUE.equals(value);
  }
}
