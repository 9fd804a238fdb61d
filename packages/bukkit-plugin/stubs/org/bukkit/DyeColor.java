package org.bukkit;

public enum DyeColor {
  WHITE,
  BLUE,
  RED
}
