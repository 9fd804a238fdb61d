package com.velocitypowered.api.command;

import net.kyori.adventure.audience.Audience;

public interface CommandSource extends Audience {}
