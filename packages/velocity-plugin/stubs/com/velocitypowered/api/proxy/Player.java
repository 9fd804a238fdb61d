package com.velocitypowered.api.proxy;

import com.velocitypowered.api.command.CommandSource;
import java.util.UUID;

public interface Player extends CommandSource, InboundConnection {
  String getUsername();

  UUID getUniqueId();
}
