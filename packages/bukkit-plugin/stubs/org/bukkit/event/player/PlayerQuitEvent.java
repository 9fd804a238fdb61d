package org.bukkit.event.player;

public class PlayerQuitEvent extends PlayerEvent {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  public PlayerQuitEvent(org.bukkit.entity.Player player, String message) {
    super(player);
  }
}
