package org.bukkit;

public interface OfflinePlayer {}
