package org.bukkit.event;

public class HandlerList {}
