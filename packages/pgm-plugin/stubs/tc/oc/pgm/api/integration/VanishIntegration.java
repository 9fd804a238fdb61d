package tc.oc.pgm.api.integration;

public interface VanishIntegration {
  boolean isVanished(java.util.UUID uuid);

  boolean setVanished(tc.oc.pgm.api.player.MatchPlayer player, boolean vanish, boolean quiet);
}
