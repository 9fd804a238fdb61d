package tc.oc.pgm.api.party;

public interface Party extends tc.oc.pgm.util.named.Named {
  org.bukkit.Color getFullColor();
}
