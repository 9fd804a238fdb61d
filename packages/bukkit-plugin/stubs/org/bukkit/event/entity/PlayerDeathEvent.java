package org.bukkit.event.entity;

public abstract class PlayerDeathEvent extends org.bukkit.event.Event {}
