package org.bukkit.event.player;

import org.bukkit.entity.Player;

public abstract class PlayerEvent extends org.bukkit.event.Event {
  private final Player player;

  protected PlayerEvent(Player player) {
    this.player = player;
  }

  public final Player getPlayer() {
    return player;
  }
}
