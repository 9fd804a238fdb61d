package tc.oc.pgm.api.map;

import java.util.Collection;

public interface MapInfo extends VariantInfo.Forwarding {
  Collection<MapTag> getTags();

  Collection<Gamemode> getGamemodes();
}
