package tc.oc.pgm.api.integration;

import java.util.concurrent.atomic.AtomicReference;
import org.bukkit.entity.Player;

public final class Integration {
  private static final AtomicReference<NickIntegration> NICKS = new AtomicReference<>();
  private static final AtomicReference<VanishIntegration> VANISH = new AtomicReference<>();

  private Integration() {}

  public static void setNickIntegration(NickIntegration integration) {
    NICKS.set(integration);
  }

  public static void setVanishIntegration(VanishIntegration integration) {
    VANISH.set(integration);
  }

  public static String getNick(Player player) {
    return NICKS.get() == null ? null : NICKS.get().getNick(player);
  }

  public static boolean isVanished(Player player) {
    return VANISH.get() != null && VANISH.get().isVanished(player.getUniqueId());
  }
}
