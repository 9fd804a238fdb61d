package org.bukkit.event;

public abstract class Event {
  public abstract HandlerList getHandlers();
}
