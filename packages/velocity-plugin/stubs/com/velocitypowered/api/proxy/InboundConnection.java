package com.velocitypowered.api.proxy;

public interface InboundConnection {
  boolean isActive();
}
