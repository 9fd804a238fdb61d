package com.velocitypowered.api.command;

import java.util.Collection;

public interface CommandMeta {
  Collection<String> getAliases();

  interface Builder {
    Builder plugin(Object plugin);

    CommandMeta build();
  }
}
