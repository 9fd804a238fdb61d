package org.bukkit.configuration;

public class MemoryConfiguration extends org.bukkit.configuration.MemorySection {}
