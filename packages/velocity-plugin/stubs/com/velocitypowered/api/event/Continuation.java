package com.velocitypowered.api.event;

public interface Continuation {
  void resume();

  void resumeWithException(Throwable exception);
}
