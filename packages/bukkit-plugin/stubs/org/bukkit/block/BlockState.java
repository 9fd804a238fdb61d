package org.bukkit.block;

public interface BlockState {}
