package com.velocitypowered.api.proxy.server;

import com.velocitypowered.api.proxy.Player;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import net.kyori.adventure.audience.Audience;

public interface RegisteredServer extends Audience {
  ServerInfo getServerInfo();

  Collection<Player> getPlayersConnected();

  CompletableFuture<ServerPing> ping();
}
