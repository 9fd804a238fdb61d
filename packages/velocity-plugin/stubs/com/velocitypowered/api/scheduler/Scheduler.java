package com.velocitypowered.api.scheduler;

import java.time.Duration;

public interface Scheduler {
  TaskBuilder buildTask(Object plugin, Runnable runnable);

  interface TaskBuilder {
    TaskBuilder repeat(Duration duration);

    ScheduledTask schedule();
  }
}
