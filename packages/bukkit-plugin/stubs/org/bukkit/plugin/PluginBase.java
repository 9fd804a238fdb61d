package org.bukkit.plugin;

public abstract class PluginBase implements Plugin {}
