package org.bukkit.metadata;

public interface MetadataValue {
  boolean asBoolean();
}
