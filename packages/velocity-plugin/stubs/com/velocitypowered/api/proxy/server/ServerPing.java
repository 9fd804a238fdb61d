package com.velocitypowered.api.proxy.server;

public final class ServerPing {}
