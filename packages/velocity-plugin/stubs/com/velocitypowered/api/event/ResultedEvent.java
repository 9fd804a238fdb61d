package com.velocitypowered.api.event;

import java.util.Optional;
import net.kyori.adventure.text.Component;

public interface ResultedEvent<R extends ResultedEvent.Result> {
  R getResult();

  void setResult(R result);

  interface Result {
    boolean isAllowed();
  }

  final class ComponentResult implements Result {
    private final boolean status;
    private final Component reason;

    private ComponentResult(boolean status, Component reason) {
      this.status = status;
      this.reason = reason;
    }

    @Override
    public boolean isAllowed() {
      return status;
    }

    public Optional<Component> getReasonComponent() {
      return Optional.ofNullable(reason);
    }

    public static ComponentResult allowed() {
      return new ComponentResult(true, null);
    }

    public static ComponentResult denied(Component reason) {
      return new ComponentResult(false, reason);
    }
  }
}
