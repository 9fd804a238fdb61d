package com.velocitypowered.api.command;

public interface InvocableCommand<I extends CommandInvocation<?>> extends Command {
  void execute(I invocation);
}
