package org.bukkit.event.player;

import java.net.InetAddress;
import java.util.UUID;

public class AsyncPlayerPreLoginEvent extends org.bukkit.event.Event {
  private static final org.bukkit.event.HandlerList handlers = new org.bukkit.event.HandlerList();

  @Override
  public org.bukkit.event.HandlerList getHandlers() {
    return handlers;
  }

  public static org.bukkit.event.HandlerList getHandlerList() {
    return handlers;
  }

  private final String name;
  private final UUID uniqueId;
  private Result result = Result.ALLOWED;
  private String message = "";

  public AsyncPlayerPreLoginEvent(String name, InetAddress ipAddress, UUID uniqueId) {
    this.name = name;
    this.uniqueId = uniqueId;
  }

  public String getName() {
    return name;
  }

  public UUID getUniqueId() {
    return uniqueId;
  }

  public Result getLoginResult() {
    return result;
  }

  public String getKickMessage() {
    return message;
  }

  public void disallow(Result result, String message) {
    this.result = result;
    this.message = message;
  }

  public enum Result {
    ALLOWED,
    KICK_FULL,
    KICK_BANNED,
    KICK_WHITELIST,
    KICK_OTHER
  }
}
