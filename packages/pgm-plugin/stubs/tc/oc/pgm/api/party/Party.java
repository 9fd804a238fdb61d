package tc.oc.pgm.api.party;

public interface Party extends tc.oc.pgm.util.named.Named {
  tc.oc.pgm.api.player.MatchPlayer getPlayer(java.util.UUID playerId);

  org.bukkit.Color getFullColor();
}
