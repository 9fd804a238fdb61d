package com.velocitypowered.api.command;

public interface Command {}
