package tc.oc.pgm.api.integration;

public interface NickIntegration {
  String getNick(org.bukkit.entity.Player player);
}
