package com.velocitypowered.api.proxy;

import com.velocitypowered.api.command.CommandManager;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import com.velocitypowered.api.scheduler.Scheduler;
import java.util.Collection;
import java.util.Optional;
import net.kyori.adventure.audience.Audience;

public interface ProxyServer extends Audience {
  Optional<RegisteredServer> getServer(String name);

  Collection<RegisteredServer> getAllServers();

  CommandManager getCommandManager();

  Scheduler getScheduler();
}
