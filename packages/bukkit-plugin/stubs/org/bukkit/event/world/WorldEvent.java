package org.bukkit.event.world;

public abstract class WorldEvent extends org.bukkit.event.Event {}
