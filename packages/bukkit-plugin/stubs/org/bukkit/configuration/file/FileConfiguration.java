package org.bukkit.configuration.file;

public abstract class FileConfiguration extends org.bukkit.configuration.MemoryConfiguration {}
