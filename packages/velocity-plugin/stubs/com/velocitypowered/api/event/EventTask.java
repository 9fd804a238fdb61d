package com.velocitypowered.api.event;

import java.util.concurrent.CompletableFuture;

public interface EventTask {
  boolean requiresAsync();

  void execute(Continuation continuation);

  static EventTask resumeWhenComplete(CompletableFuture<?> future) {
    return new EventTask() {
      @Override
      public boolean requiresAsync() {
        return false;
      }

      @Override
      public void execute(Continuation continuation) {
        future.whenComplete((result, cause) -> {
          if (cause == null) continuation.resume();
          else continuation.resumeWithException(cause);
        });
      }
    };
  }
}
