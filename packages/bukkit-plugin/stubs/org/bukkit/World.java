package org.bukkit;

public interface World {}
