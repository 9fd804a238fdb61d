package com.velocitypowered.api.proxy.server;

import java.net.InetSocketAddress;

public final class ServerInfo {
  private final String name;

  public ServerInfo(String name, InetSocketAddress address) {
    this.name = name;
  }

  public final String getName() {
    return name;
  }
}
